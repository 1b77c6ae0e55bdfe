//! Tags as SAM writes them, back into those of BAM.

/// Append the tag that `field` is, such as `RX:Z:ACGT`; `false` if it is none, and nothing is appended.
pub(super) fn write(field: &[u8], bytes: &mut Vec<u8>) -> bool {
    let [a, b, b':', kind, b':', value @ ..] = field else {
        return false;
    };
    if !a.is_ascii_alphabetic() || !b.is_ascii_alphanumeric() {
        return false;
    }
    let start = bytes.len();
    bytes.extend_from_slice(&[*a, *b]);
    let is_written = write_value(*kind, value, bytes).is_some();
    if !is_written {
        bytes.truncate(start);
    }
    is_written
}

fn write_value(kind: u8, value: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    match (kind, value) {
        (b'A', [letter]) if letter.is_ascii_graphic() => bytes.extend_from_slice(&[b'A', *letter]),
        (b'Z', text) if !text.contains(&0) => write_text(b'Z', text, bytes),
        (b'H', text) if text.len() % 2 == 0 && text.iter().all(u8::is_ascii_hexdigit) => {
            write_text(b'H', text, bytes);
        }
        (b'i', number) => {
            let number: i64 = parse(number)?;
            match (i32::try_from(number), u32::try_from(number)) {
                (Ok(number), _) => {
                    bytes.push(b'i');
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
                (_, Ok(number)) => {
                    bytes.push(b'I');
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
                _ => return None,
            }
        }
        (b'f', number) => {
            bytes.push(b'f');
            bytes.extend_from_slice(&parse::<f32>(number)?.to_le_bytes());
        }
        (b'd', number) => {
            bytes.push(b'd');
            bytes.extend_from_slice(&parse::<f64>(number)?.to_le_bytes());
        }
        (b'B', [kind, values @ ..]) => {
            bytes.extend_from_slice(&[b'B', *kind]);
            write_array(*kind, values, bytes)?;
        }
        _ => return None,
    }
    Some(())
}

fn write_text(kind: u8, text: &[u8], bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend_from_slice(text);
    bytes.push(0);
}

/// Each of `values` behind a comma.
fn write_array(kind: u8, values: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let place = bytes.len();
    bytes.extend_from_slice(&[0; 4]);
    let mut values = values.split(|&byte| byte == b',');
    // Nothing stands before the first comma.
    if !values.next()?.is_empty() {
        return None;
    }
    let mut count = 0_u32;
    for value in values {
        match kind {
            b'c' => bytes.extend_from_slice(&parse::<i8>(value)?.to_le_bytes()),
            b'C' => bytes.push(parse::<u8>(value)?),
            b's' => bytes.extend_from_slice(&parse::<i16>(value)?.to_le_bytes()),
            b'S' => bytes.extend_from_slice(&parse::<u16>(value)?.to_le_bytes()),
            b'i' => bytes.extend_from_slice(&parse::<i32>(value)?.to_le_bytes()),
            b'I' => bytes.extend_from_slice(&parse::<u32>(value)?.to_le_bytes()),
            b'f' => bytes.extend_from_slice(&parse::<f32>(value)?.to_le_bytes()),
            _ => return None,
        }
        count += 1;
    }
    let is_kind = matches!(kind, b'c' | b'C' | b's' | b'S' | b'i' | b'I' | b'f');
    bytes[place..place + 4].copy_from_slice(&count.to_le_bytes());
    is_kind.then_some(())
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
