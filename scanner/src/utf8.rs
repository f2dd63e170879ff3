//! Whether bytes are UTF-8: each pair of neighbours is looked up in three tables whose entries name the possible
//! errors, and a third or fourth byte is demanded by the first one.
use crate::marks::pattern;
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

/// The tables, and what else the bytes are compared with.
pub struct Utf8 {
    low_half: Bytes16,
    first_high: Bytes16,
    first_low: Bytes16,
    second_high: Bytes16,
    before_third: Bytes16,
    before_fourth: Bytes16,
    top_bit: Bytes16,
    last: Bytes16,
}

impl Utf8 {
    #[inline(always)]
    pub fn load() -> Self {
        Self {
            low_half: pattern([0x0f; 16]),
            first_high: pattern(FIRST_HIGH),
            first_low: pattern(FIRST_LOW),
            second_high: pattern(SECOND_HIGH),
            before_third: pattern([0xe0 - 0x80; 16]),
            before_fourth: pattern([0xf0 - 0x80; 16]),
            top_bit: pattern([0x80; 16]),
            last: pattern(LAST),
        }
    }

    /// Whether an error shows in these 64 bytes: in them, or in a character that they should have ended.
    #[inline(always)]
    pub fn has_errors(&self, block: &[Bytes16; 4], before: Bytes16) -> bool {
        self.errors_in(block[0], before)
            .or(self.errors_in(block[1], block[0]))
            .or(self.errors_in(block[2], block[1]))
            .or(self.errors_in(block[3], block[2]))
            .is_any_set()
    }

    /// Whether the last of these bytes start a character that ASCII does not finish.
    #[inline(always)]
    pub fn is_unfinished(&self, bytes: Bytes16) -> bool {
        bytes.minus_saturating(self.last).is_any_set()
    }

    #[inline(always)]
    fn errors_in(&self, bytes: Bytes16, before: Bytes16) -> Bytes16 {
        let [one, two, three] = bytes.after(before);
        let high = |bytes: Bytes16| bytes.shifted_nibbles().and(self.low_half);
        let pairs = high(one)
            .look_up(self.first_high)
            .and(one.and(self.low_half).look_up(self.first_low))
            .and(high(bytes).look_up(self.second_high));
        // The highest bit is set where the byte two places before is E0 or above, or three places before F0 or above.
        let is_third = two.minus_saturating(self.before_third);
        let is_fourth = three.minus_saturating(self.before_fourth);
        is_third.or(is_fourth).and(self.top_bit).xor(pairs)
    }
}
