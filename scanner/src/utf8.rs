//! Whether bytes are UTF-8: each pair of neighbours is looked up in three tables whose entries name the possible
//! errors, and a third or fourth byte is demanded by the first one.
use crate::simd::Bytes16;

const TOO_SHORT: u8 = 1 << 0;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/// These two can share a bit: only the first byte F0 or F5 and above leads to either.
const TOO_LARGE_1000: u8 = 1 << 6;
const OVERLONG_4: u8 = 1 << 6;
const TWO_CONTINUATIONS: u8 = 1 << 7;
/// Errors that do not depend on the lower half of the first byte.
const ANY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// By the upper half of the first byte of a pair.
#[rustfmt::skip]
const FIRST_HIGH: [u8; 16] = [
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
    TOO_SHORT | OVERLONG_2,
    TOO_SHORT,
    TOO_SHORT | OVERLONG_3 | SURROGATE,
    TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
];

/// By its lower half.
#[rustfmt::skip]
const FIRST_LOW: [u8; 16] = [
    ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
    ANY | OVERLONG_2,
    ANY, ANY,
    ANY | TOO_LARGE,
    ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000,
    ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000,
    ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000,
    ANY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE,
    ANY | TOO_LARGE | TOO_LARGE_1000, ANY | TOO_LARGE | TOO_LARGE_1000,
];

const CONTINUATION: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;

/// By the upper half of the second byte.
#[rustfmt::skip]
const SECOND_HIGH: [u8; 16] = [
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    CONTINUATION | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4,
    CONTINUATION | OVERLONG_3 | TOO_LARGE,
    CONTINUATION | SURROGATE | TOO_LARGE,
    CONTINUATION | SURROGATE | TOO_LARGE,
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
];

/// The largest bytes at the end of a block with which no character is unfinished.
const LAST: [u8; 16] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xef, 0xdf, 0xbf];

#[derive(Clone, Copy)]
pub struct Utf8 {
    last: Bytes16,
    is_last_ascii: bool,
}

impl Utf8 {
    pub fn new() -> Self {
        Self { last: Bytes16::splat(0), is_last_ascii: true }
    }

    /// Whether an error shows in these 64 bytes: in them, or in a character that they should have ended.
    #[inline(always)]
    pub fn is_broken(&mut self, block: &[Bytes16; 4]) -> bool {
        if block[0].or(block[1]).or(block[2].or(block[3])).mask() == 0 {
            return self.is_unfinished();
        }
        let was_ascii = core::mem::replace(&mut self.is_last_ascii, false);
        let before = if was_ascii { Bytes16::splat(0) } else { self.last };
        let errors = errors_in(block[0], before)
            .or(errors_in(block[1], block[0]))
            .or(errors_in(block[2], block[1]))
            .or(errors_in(block[3], block[2]));
        self.last = block[3];
        errors.is_any_set()
    }

    /// Whether 64 bytes of ASCII end a character too early.
    #[inline(always)]
    pub fn is_unfinished(&mut self) -> bool {
        let was_ascii = core::mem::replace(&mut self.is_last_ascii, true);
        !was_ascii && self.last.minus_saturating(Bytes16::from(LAST)).is_any_set()
    }
}

#[inline(always)]
fn errors_in(bytes: Bytes16, before: Bytes16) -> Bytes16 {
    let [one, two, three] = bytes.after(before);
    let low = Bytes16::splat(0x0f);
    let pairs = one
        .high_nibbles()
        .look_up(Bytes16::from(FIRST_HIGH))
        .and(one.and(low).look_up(Bytes16::from(FIRST_LOW)))
        .and(bytes.high_nibbles().look_up(Bytes16::from(SECOND_HIGH)));
    // The highest bit is set where the byte two places before is E0 or above, or three places before F0 or above.
    let is_third = two.minus_saturating(Bytes16::splat(0xe0 - 0x80));
    let is_fourth = three.minus_saturating(Bytes16::splat(0xf0 - 0x80));
    is_third.or(is_fourth).and(Bytes16::splat(0x80)).xor(pairs)
}
