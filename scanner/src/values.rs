//! Values: numbers and literals by RFC 8259, hashes of ids, times, blank text, and escaped characters.

/// Whether a number or a literal may end before this byte.
#[inline(always)]
fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}')
}

#[inline(always)]
pub fn is_json_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The place after `true`, `false`, `null` or a number. The bytes end with a newline.
pub fn end_of_scalar(bytes: &[u8], at: usize) -> Option<usize> {
    let end = match bytes[at] {
        b't' => end_of_literal(bytes, at, b"true")?,
        b'f' => end_of_literal(bytes, at, b"false")?,
        b'n' => end_of_literal(bytes, at, b"null")?,
        _ => end_of_number(bytes, at)?,
    };
    ends_scalar(bytes[end]).then_some(end)
}

fn end_of_literal(bytes: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    let end = at + literal.len();
    (bytes.get(at..end)? == literal && end < bytes.len()).then_some(end)
}

fn end_of_number(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + (bytes[start] == b'-') as usize;
    let whole = past_digits(bytes, at);
    if whole == at || (bytes[at] == b'0' && whole > at + 1) {
        return None;
    }
    at = whole;
    if bytes[at] == b'.' {
        let end = past_digits(bytes, at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
    }
    if matches!(bytes[at], b'e' | b'E') {
        let sign = at + 1 + matches!(bytes[at + 1], b'+' | b'-') as usize;
        let end = past_digits(bytes, sign);
        if end == sign {
            return None;
        }
        at = end;
    }
    Some(at)
}

fn past_digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes[at].is_ascii_digit() {
        at += 1;
    }
    at
}

/// The hash that the host uses for ids, with seeds of its own. Four characters at a time, and the length at the end.
#[inline(always)]
pub fn hash_id(id: &[u8], seeds: [u32; 2]) -> [u32; 2] {
    let mut hash = seeds;
    let (words, rest) = id.as_chunks::<4>();
    for &word in words {
        hash = add_word(hash, u32::from_le_bytes(word));
    }
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let [mut a, mut b] = add_word(add_word(hash, u32::from_le_bytes(last)), id.len() as u32);
    a = (a ^ a >> 16).wrapping_mul(0xc2b2_ae35);
    b = (b ^ b >> 13).wrapping_mul(0x27d4_eb2f);
    [a, b ^ a >> 7]
}

#[inline(always)]
fn add_word([mut a, mut b]: [u32; 2], word: u32) -> [u32; 2] {
    a = (a ^ word).wrapping_mul(0x0100_0193);
    b = (b ^ word).wrapping_mul(0x85eb_ca6b);
    a ^= b >> 15;
    [a, b ^ a >> 13]
}

/// Few enough digits that a double holds the number exactly.
pub fn whole_number(digits: &[u8]) -> Option<f64> {
    let is_whole = digits.iter().all(u8::is_ascii_digit);
    let number = || digits.iter().fold(0, |sum, &digit| sum * 10 + u64::from(digit - b'0'));
    is_whole.then(|| number() as f64)
}

/// Milliseconds since 1970 of `2026-11-15T09:00:00.000Z`. Every other form is left to the host.
pub fn time_of(text: &[u8]) -> Option<f64> {
    let form = b"0000-00-00T00:00:00.000Z";
    if text.len() != form.len() {
        return None;
    }
    let is_of_form = text.iter().zip(form).all(|(&byte, &model)| match model {
        b'0' => byte.is_ascii_digit(),
        _ => byte == model,
    });
    let number =
        |from: usize, to: usize| text[from..to].iter().fold(0, |sum, &digit| sum * 10 + i64::from(digit - b'0'));
    if !is_of_form {
        return None;
    }
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    let is_day = (1..=28).contains(&day) || is_late_day(month, day);
    let is_date = year >= 1970 && (1..=12).contains(&month) && is_day;
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = ((days_before(year, month) + day - 1) * 24 + hour) * 3600 + minute * 60 + second;
    Some((seconds * 1000 + number(20, 23)) as f64)
}

/// The 29th, 30th or 31st of a month that has it in every year.
fn is_late_day(month: i64, day: i64) -> bool {
    match month {
        2 => false,
        4 | 6 | 9 | 11 => (29..=30).contains(&day),
        _ => (29..=31).contains(&day),
    }
}

/// The days from 1970 to the first of a month.
fn days_before(year: i64, month: i64) -> i64 {
    const BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let full = year - 1;
    let leap_days = full / 4 - full / 100 + full / 400 - 477;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    (year - 1970) * 365 + leap_days + BEFORE_MONTH[month as usize - 1] + (is_leap && month > 2) as i64
}

/// Whether the host's `trim` leaves nothing of a string without its quotes. Valid escapes, valid UTF-8.
pub fn is_blank(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        let (code, length) = character_at(text, at);
        if !is_space(code) {
            return false;
        }
        at += length;
    }
    true
}

/// Spaces have at most three bytes. Of a longer character, any code that is not a space will do.
fn character_at(text: &[u8], at: usize) -> (u32, usize) {
    let byte = |offset: usize| u32::from(*text.get(at + offset).unwrap_or(&0));
    match text[at] {
        b'\\' => match text.get(at + 1) {
            Some(b'u') => (hex_at(text, at + 2).unwrap_or(0), 6),
            Some(b'n' | b't' | b'r' | b'f') => (0x20, 2),
            _ => (0, 2),
        },
        0xc0..=0xdf => ((byte(0) & 0x1f) << 6 | (byte(1) & 0x3f), 2),
        0xe0..=0xef => ((byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3),
        0xf0..=0xff => (0, 4),
        ascii => (u32::from(ascii), 1),
    }
}

fn is_space(code: u32) -> bool {
    matches!(code, 0x09..=0x0d | 0x20 | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 | 0xfeff)
}

/// The value of four hexadecimal digits.
#[inline(always)]
pub fn hex_at(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    let mut value = 0;
    for &digit in digits {
        value = value << 4 | (digit as char).to_digit(16)?;
    }
    Some(value)
}

/// Whether two texts of the same length are equal. For short ones, without a call.
#[inline(always)]
pub fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        (Some(last), Some(other_last)) => {
            let (ones, _) = one.as_chunks::<8>();
            let (others, _) = other.as_chunks::<8>();
            let mut pairs = ones.iter().zip(others);
            pairs.all(|(&one, &other)| u64::from_le_bytes(one) == u64::from_le_bytes(other))
                && u64::from_le_bytes(*last) == u64::from_le_bytes(*other_last)
        }
        _ => one.iter().zip(other).all(|(one, other)| one == other),
    }
}
