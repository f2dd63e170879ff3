//! Escapes in strings that are not among the usual ones: `b`, `u` with four digits, and wrong ones.
use crate::values::{HEX, NOT_HEX, hex_at};

/// Whether this escape is right, whatever is around it: `b`, or `u` with four digits that are not half of a
/// surrogate pair.
///
/// # Safety
/// Five bytes can be read.
#[inline(always)]
pub unsafe fn is_clear_escape(at: *const u8) -> bool {
    // SAFETY: see above.
    let [letter, a, b, c, d] = unsafe { at.cast::<[u8; 5]>().read_unaligned() };
    let [a, b, c, d] = [a, b, c, d].map(|digit| HEX[digit as usize]);
    let is_plain = (a | b | c | d) & NOT_HEX == 0 && !(a == 0xd && b >= 8);
    letter == b'b' || (letter == b'u' && is_plain)
}

/// What was found among the escapes of a block.
pub struct Escapes {
    pub wrong: u64,
    pub has_half: bool,
    pub second_half: usize,
}

#[inline(never)]
pub fn check_escapes(bytes: &[u8], mut escaped: u64, at: usize, mut second_half: usize) -> Escapes {
    let (mut wrong, mut has_half) = (0, false);
    while escaped != 0 {
        let place = at + escaped.trailing_zeros() as usize;
        let is_u = bytes.get(place) == Some(&b'u');
        match hex_at(bytes, place + 1) {
            Some(0xd800..=0xdbff) if is_u && is_second_half(bytes, place + 5) => second_half = place + 6,
            Some(0xd800..=0xdbff) if is_u => has_half = true,
            Some(0xdc00..=0xdfff) if is_u => has_half |= second_half != place,
            Some(_) if is_u => {}
            _ if bytes.get(place) == Some(&b'b') => {}
            _ => wrong |= escaped & escaped.wrapping_neg(),
        }
        escaped &= escaped - 1;
    }
    Escapes { wrong, has_half, second_half }
}

fn is_second_half(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + 2) == Some(b"\\u") && matches!(hex_at(bytes, at + 2), Some(0xdc00..=0xdfff))
}
