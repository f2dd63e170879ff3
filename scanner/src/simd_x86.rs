//! Sixteen bytes at a time, with the instructions that every 64-bit PC has had since 2008. Used by the native
//! program of the benchmark.
use core::arch::x86_64::*;

#[derive(Clone, Copy)]
pub struct Bytes16(__m128i);

impl Bytes16 {
    pub const LENGTH: usize = 16;

    /// # Safety
    /// Sixteen bytes can be read at `at`.
    #[inline(always)]
    pub unsafe fn load(at: *const u8) -> Self {
        Self(unsafe { _mm_loadu_si128(at.cast()) })
    }

    /// # Safety
    /// Sixteen bytes can be written at `at`.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut u8) {
        unsafe { _mm_storeu_si128(at.cast(), self.0) }
    }

    #[inline(always)]
    pub fn from(bytes: [u8; 16]) -> Self {
        // SAFETY: these are sixteen bytes.
        unsafe { Self::load(bytes.as_ptr()) }
    }

    #[inline(always)]
    pub fn splat(byte: u8) -> Self {
        Self(unsafe { _mm_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    pub fn equals(self, other: Self) -> Self {
        Self(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
    }

    #[inline(always)]
    pub fn is_at_most(self, limit: Self) -> Self {
        Self(unsafe { _mm_min_epu8(self.0, limit.0) }).equals(self)
    }

    #[inline(always)]
    pub fn below_signed(self, limit: Self) -> Self {
        Self(unsafe { _mm_cmplt_epi8(self.0, limit.0) })
    }

    #[inline(always)]
    pub fn least_signed(self, other: Self) -> Self {
        Self(unsafe { _mm_min_epi8(self.0, other.0) })
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    pub fn xor(self, other: Self) -> Self {
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    pub fn minus_saturating(self, other: Self) -> Self {
        Self(unsafe { _mm_subs_epu8(self.0, other.0) })
    }

    /// The upper half of each byte in its lower one, and something in its upper one.
    #[inline(always)]
    pub fn shifted_nibbles(self) -> Self {
        Self(unsafe { _mm_srli_epi16::<4>(self.0) })
    }

    /// The entry of `table` for each byte, all of which are below 16.
    #[inline(always)]
    pub fn look_up(self, table: Self) -> Self {
        Self(unsafe { _mm_shuffle_epi8(table.0, self.0) })
    }

    /// The highest bit of each byte.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        unsafe { _mm_movemask_epi8(self.0) as u32 }
    }

    /// One bit for each of the masks that is zero.
    #[inline(always)]
    pub fn empty_among(masks: &[u64; 16]) -> u32 {
        masks.iter().rev().fold(0, |bits, &mask| bits << 1 | u32::from(mask == 0))
    }

    #[inline(always)]
    pub fn empty_among_short(masks: &[u16; 16]) -> u32 {
        masks.iter().rev().fold(0, |bits, &mask| bits << 1 | u32::from(mask == 0))
    }

    #[inline(always)]
    pub fn is_any_set(self) -> bool {
        unsafe { _mm_testz_si128(self.0, self.0) == 0 }
    }

    /// The same bytes shifted by one, two or three places, after the last bytes of `before`.
    #[inline(always)]
    pub fn after(self, before: Self) -> [Self; 3] {
        unsafe {
            [
                Self(_mm_alignr_epi8::<15>(self.0, before.0)),
                Self(_mm_alignr_epi8::<14>(self.0, before.0)),
                Self(_mm_alignr_epi8::<13>(self.0, before.0)),
            ]
        }
    }
}
