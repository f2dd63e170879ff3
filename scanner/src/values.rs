//! Values: numbers and literals by RFC 8259, hashes of ids, times, blank text, and escaped characters.
use crate::simd::Bytes16;

/// Whether a number or a literal may end before this byte.
#[inline(always)]
pub fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}')
}

#[inline(always)]
pub fn is_json_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The place after `true`, `false`, `null` or a number.
///
/// # Safety
/// `at` is one of the bytes. Sixteen can be read from each of them on, and the last of them is a newline.
#[inline(always)]
pub unsafe fn end_of_scalar(bytes: &[u8], at: usize) -> Option<usize> {
    // SAFETY: there are sixteen bytes. A literal that is met here ends before the newline.
    let end = unsafe {
        let first = bytes.as_ptr().add(at);
        match (*first, first.cast::<[u8; 4]>().read_unaligned()) {
            (b'-' | b'0'..=b'9', _) => end_of_number(bytes, at)?,
            (_, [b't', b'r', b'u', b'e'] | [b'n', b'u', b'l', b'l']) => at + 4,
            (_, [b'f', b'a', b'l', b's']) if *first.add(4) == b'e' => at + 5,
            _ => return None,
        }
    };
    // SAFETY: the newline is not before this.
    ends_scalar(unsafe { *bytes.get_unchecked(end) }).then_some(end)
}

/// # Safety
/// The same.
#[inline(never)]
unsafe fn end_of_number(bytes: &[u8], start: usize) -> Option<usize> {
    // SAFETY: the newline ends every run of digits, and nothing is read after it.
    let byte = |at: usize| unsafe { *bytes.get_unchecked(at) };
    let past_digits = |mut at: usize| {
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    };
    let mut at = start + (byte(start) == b'-') as usize;
    let whole = past_digits(at);
    if whole == at || (byte(at) == b'0' && whole > at + 1) {
        return None;
    }
    at = whole;
    if byte(at) == b'.' {
        let end = past_digits(at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
    }
    if byte(at) | 0x20 == b'e' {
        let sign = at + 1 + matches!(byte(at + 1), b'+' | b'-') as usize;
        let end = past_digits(sign);
        if end == sign {
            return None;
        }
        at = end;
    }
    Some(at)
}

/// The hash that the host uses for ids, with seeds of its own. Four characters at a time, and the length at the end.
///
/// # Safety
/// Sixteen bytes can be read from each of these.
#[inline(always)]
pub unsafe fn hash_id(id: &[u8], seeds: [u32; 2]) -> [u32; 2] {
    let mut hash = seeds;
    let mut at = 0;
    // SAFETY: see above.
    let word = |at: usize| unsafe { u32::from_le_bytes(id.as_ptr().add(at).cast::<[u8; 4]>().read_unaligned()) };
    while at + 4 <= id.len() {
        hash = add_word(hash, word(at));
        at += 4;
    }
    let last = word(at) & ((1 << (8 * (id.len() - at))) - 1);
    let [mut a, mut b] = add_word(add_word(hash, last), id.len() as u32);
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
    let ([date, time, rest], []) = text.as_chunks::<8>() else { return None };
    let [date, time, rest] = [(date, b"0000-00-"), (time, b"00T00:00"), (rest, b":00.000Z")].map(digits_of);
    let (date, time, rest) = (date?, time?, rest?);
    // Each byte becomes the number that it starts, of two digits.
    let [century, _, year, _, _, month, ..] = pairs_of(date);
    let [day, _, _, hour, _, _, minute, _] = pairs_of(time);
    let [_, second, _, _, hundredths, ..] = pairs_of(rest);
    let (year, thousandths) = (i64::from(century) * 100 + i64::from(year), rest[6]);
    let is_day = (1..=28).contains(&day) || is_late_day(month, day);
    let is_date = year >= 1970 && (1..=12).contains(&month) && is_day;
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let hours = (days_before(year, month) + i64::from(day) - 1) * 24 + i64::from(hour);
    let seconds = hours * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some((seconds * 1000 + i64::from(hundredths) * 10 + i64::from(thousandths)) as f64)
}

/// The digits of a text of this form, and zeros for all else. None if it is of another form.
#[inline(always)]
fn digits_of((text, form): (&[u8; 8], &[u8; 8])) -> Option<[u8; 8]> {
    let digits = u64::from_le_bytes(*text) ^ u64::from_le_bytes(*form);
    // What is added makes 16 of a digit above 9, and of every other difference.
    let limits = u64::from_le_bytes(form.map(|byte| if byte == b'0' { 0x06 } else { 0x0f }));
    let is_of_form = (digits | digits.wrapping_add(limits)) & 0xf0f0_f0f0_f0f0_f0f0 == 0;
    is_of_form.then_some(digits.to_le_bytes())
}

/// Ten times each digit and the next one. None is above 99, so that nothing is carried.
#[inline(always)]
fn pairs_of(digits: [u8; 8]) -> [u8; 8] {
    let digits = u64::from_le_bytes(digits);
    (digits * 10 + (digits >> 8)).to_le_bytes()
}

/// The 29th, 30th or 31st of a month that has it in every year.
fn is_late_day(month: u8, day: u8) -> bool {
    match month {
        2 => false,
        4 | 6 | 9 | 11 => (29..=30).contains(&day),
        _ => (29..=31).contains(&day),
    }
}

/// The days from 1970 to the first of a month.
#[inline(always)]
fn days_before(year: i64, month: u8) -> i64 {
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

/// The bit that no hexadecimal digit has.
pub const NOT_HEX: u8 = 0x80;

/// The value of each hexadecimal digit.
pub static HEX: [u8; 256] = {
    let mut values = [NOT_HEX; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        values[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// The value of four hexadecimal digits.
pub fn hex_at(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    let mut value = 0;
    for &digit in digits {
        value = value << 4 | (digit as char).to_digit(16)?;
    }
    Some(value)
}

/// Whether these bytes are there, too.
///
/// # Safety
/// Sixteen bytes can be read from each of them on, in both places.
#[inline(always)]
pub unsafe fn is_same(one: &[u8], other: *const u8) -> bool {
    let mut at = 0;
    // SAFETY: see above.
    let is_same = |at: usize| unsafe {
        Bytes16::load(one.as_ptr().add(at)).equals(Bytes16::load(other.add(at))).mask() | !own_mask(one.len() - at)
    };
    while at < one.len() && is_same(at) == u32::MAX {
        at += Bytes16::LENGTH;
    }
    at >= one.len()
}

/// Whether any of the bytes is one for which the test gives a byte with the highest bit set.
///
/// # Safety
/// Sixteen bytes can be read from each of them on.
#[inline(always)]
pub unsafe fn is_any(bytes: &[u8], test: impl Fn(Bytes16) -> Bytes16) -> bool {
    let mut at = 0;
    // SAFETY: see above.
    let tested = |at: usize| unsafe { test(Bytes16::load(bytes.as_ptr().add(at))).mask() };
    while at < bytes.len() && tested(at) & own_mask(bytes.len() - at) == 0 {
        at += Bytes16::LENGTH;
    }
    at < bytes.len()
}

/// One bit for each of sixteen bytes that is among the first ones.
#[inline(always)]
pub fn own_mask(length: usize) -> u32 {
    if length < Bytes16::LENGTH { (1 << length) - 1 } else { 0xffff }
}

#[inline(always)]
pub fn is_backslash(bytes: Bytes16) -> Bytes16 {
    bytes.equals(Bytes16::splat(b'\\'))
}

/// All but characters of ASCII without an escape: of those, the bytes are the characters for the host's hash.
#[inline(always)]
pub fn is_not_plain(bytes: Bytes16) -> Bytes16 {
    // As a signed number, a byte outside of ASCII is below a space too.
    is_backslash(bytes).or(bytes.below_signed(Bytes16::splat(b' '))).or(bytes.equals(Bytes16::splat(0x7f)))
}
