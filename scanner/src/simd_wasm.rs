//! Sixteen bytes at a time, with the 128-bit instructions of WebAssembly.
use core::arch::wasm32::*;

#[derive(Clone, Copy)]
pub struct Bytes16(v128);

impl Bytes16 {
    pub const LENGTH: usize = 16;

    /// # Safety
    /// Sixteen bytes can be read at `at`.
    #[inline(always)]
    pub unsafe fn load(at: *const u8) -> Self {
        Self(unsafe { v128_load(at.cast()) })
    }

    /// # Safety
    /// Sixteen bytes can be written at `at`.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut u8) {
        unsafe { v128_store(at.cast(), self.0) }
    }

    #[inline(always)]
    pub fn from(bytes: [u8; 16]) -> Self {
        // SAFETY: these are sixteen bytes.
        unsafe { Self::load(bytes.as_ptr()) }
    }

    #[inline(always)]
    pub fn splat(byte: u8) -> Self {
        Self(u8x16_splat(byte))
    }

    #[inline(always)]
    pub fn equals(self, other: Self) -> Self {
        Self(u8x16_eq(self.0, other.0))
    }

    #[inline(always)]
    pub fn is_at_most(self, limit: Self) -> Self {
        Self(u8x16_min(self.0, limit.0)).equals(self)
    }

    #[inline(always)]
    pub fn below_signed(self, limit: Self) -> Self {
        Self(i8x16_lt(self.0, limit.0))
    }

    #[inline(always)]
    pub fn least_signed(self, other: Self) -> Self {
        Self(i8x16_min(self.0, other.0))
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }

    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }

    #[inline(always)]
    pub fn minus_saturating(self, other: Self) -> Self {
        Self(u8x16_sub_sat(self.0, other.0))
    }

    /// The upper half of each byte in its lower one, and something in its upper one.
    #[inline(always)]
    pub fn shifted_nibbles(self) -> Self {
        Self(u16x8_shr(self.0, 4))
    }

    /// The entry of `table` for each byte, all of which are below 16. For those, the relaxed instruction is exact.
    #[inline(always)]
    pub fn look_up(self, table: Self) -> Self {
        Self(i8x16_relaxed_swizzle(table.0, self.0))
    }

    /// The highest bit of each byte.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        i8x16_bitmask(self.0) as u32
    }

    /// One bit for each of the masks that is zero.
    #[inline(always)]
    pub fn empty_among(masks: &[u64; 16]) -> u32 {
        // SAFETY: each pair is sixteen bytes.
        let pair =
            |number: usize| unsafe { i64x2_eq(v128_load(masks.as_ptr().add(2 * number).cast()), i64x2_splat(0)) };
        let four = |number: usize| i32x4_shuffle::<0, 2, 4, 6>(pair(number), pair(number + 1));
        let eight = |number: usize| i16x8_narrow_i32x4(four(number), four(number + 2));
        i8x16_bitmask(i8x16_narrow_i16x8(eight(0), eight(4))) as u32
    }

    #[inline(always)]
    pub fn empty_among_short(masks: &[u16; 16]) -> u32 {
        // SAFETY: each half is sixteen bytes.
        let eight = |number: usize| unsafe { i16x8_eq(v128_load(masks.as_ptr().add(number).cast()), i16x8_splat(0)) };
        i8x16_bitmask(i8x16_narrow_i16x8(eight(0), eight(8))) as u32
    }

    #[inline(always)]
    pub fn is_any_set(self) -> bool {
        v128_any_true(self.0)
    }

    /// The same bytes shifted by one, two or three places, after the last bytes of `before`.
    #[inline(always)]
    pub fn after(self, before: Self) -> [Self; 3] {
        let (a, b) = (before.0, self.0);
        [
            Self(i8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(a, b)),
            Self(i8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(a, b)),
            Self(i8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(a, b)),
        ]
    }
}
