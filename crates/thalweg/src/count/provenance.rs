//! Whence a database comes: command, place, time.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

/// What Jellyfish's headers have, and our own too.
///
/// `SOURCE_DATE_EPOCH` makes it the same on every machine and at any time, as for Jellyfish.
pub fn provenance() -> Map<String, Value> {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let seconds = match &fixed {
        Some(text) => text.parse().unwrap_or(0),
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
    };
    let unless_fixed = |text: Option<String>| match fixed {
        Some(_) => String::new(),
        None => text.unwrap_or_default().trim().to_owned(),
    };
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let path = |path: std::io::Result<std::path::PathBuf>| {
        path.ok().map(|path| path.to_string_lossy().into_owned())
    };
    let fields = json!({
        "cmdline": arguments,
        "exe_path": unless_fixed(path(std::env::current_exe())),
        "hostname": unless_fixed(std::fs::read_to_string("/proc/sys/kernel/hostname").ok()),
        "pwd": unless_fixed(path(std::env::current_dir())),
        "time": time_text(seconds),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Seconds since 1970 as C prints them, in UTC: `Sat Nov 21 08:25:50 2026`.
fn time_text(seconds: u64) -> String {
    const DAY: u64 = 86_400;
    const MONTHS: [(&str, u64); 12] = [
        ("Jan", 31),
        ("Feb", 28),
        ("Mar", 31),
        ("Apr", 30),
        ("May", 31),
        ("Jun", 30),
        ("Jul", 31),
        ("Aug", 31),
        ("Sep", 30),
        ("Oct", 31),
        ("Nov", 30),
        ("Dec", 31),
    ];
    // The first of January 1970 was a Thursday.
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    // Beyond the year 9999 there is nothing to tell.
    let seconds = seconds.min(253_402_300_799);
    let mut days = seconds / DAY;
    let weekday = WEEKDAYS[(days % 7) as usize];
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    let length = |month: usize| MONTHS[month].1 + u64::from(month == 1 && is_leap(year));
    while days >= length(month) {
        days -= length(month);
        month += 1;
    }
    let rest = seconds % DAY;
    format!(
        "{weekday} {} {:2} {:02}:{:02}:{:02} {year}",
        MONTHS[month].0,
        days + 1,
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::time_text;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "Thu Jan  1 00:00:00 1970"),
            (951_782_400, "Tue Feb 29 00:00:00 2000"),
            (1_709_251_199, "Thu Feb 29 23:59:59 2024"),
            (1_795_249_550, "Sat Nov 21 08:25:50 2026"),
            (u64::MAX, "Fri Dec 31 23:59:59 9999"),
        ] {
            assert_eq!(time_text(seconds), text);
        }
    }
}
