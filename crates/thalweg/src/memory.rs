//! How much memory a process can have.

use std::fs;

/// What the system says is available, or the limit that this process runs under, if that is less.
pub(crate) fn unused() -> Option<u64> {
    let limits = [system(), control_group()];
    limits.into_iter().flatten().min()
}

/// What Linux can give without swapping.
fn system() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The limit of a container or a batch system's job.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of_groups(&groups, |path| fs::read_to_string(path).ok())
}

/// The least limit of control groups, of today or of those before, and of all groups around them, by the list of a process's
/// groups.
fn limit_of_groups(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (root, file, group) = match line.split_once(':')? {
            ("", group) => ("/sys/fs/cgroup", "memory.max", group),
            (controllers, group) if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", group)
            }
            _ => return None,
        };
        let mut around = vec![group];
        while let Some((outer, _)) = around.last().and_then(|group| group.rsplit_once('/')) {
            around.push(outer);
        }
        let limit = |group: &str| read(&format!("{root}{group}/{file}"))?.trim().parse().ok();
        around.into_iter().filter_map(limit).min()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_control_groups_are_found() {
        let files = [
            ("/sys/fs/cgroup/jobs/7/memory.max", "max\n"),
            ("/sys/fs/cgroup/jobs/memory.max", "3000\n"),
            (
                "/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes",
                "2000\n",
            ),
        ];
        let read = |path: &str| Some((*files.iter().find(|file| file.0 == path)?.1).to_owned());
        let limit = |groups| limit_of_groups(groups, read);
        assert_eq!(limit("0::/jobs/7\n"), Some(3000));
        let older = "5:cpu,cpuacct:/slurm\n4:memory:/slurm/job_1\n";
        assert_eq!(limit(older), Some(2000));
        assert_eq!(limit("4:memory:/other\n0::/\n"), None);
        assert_eq!(limit("nonsense\n"), None);
    }
}
