//! Scans the lines of a JSON log. For each line: where it is, whether it is exactly one JSON object by RFC 8259,
//! and what the store asks for of its fields. Nothing is allocated and nothing is imported.
//!
//! Only a line that gets a shape is proved to be valid. Every other one is read by the host: lines that are
//! broken, and the few that the kernel leaves to it (invalid UTF-8, half of a surrogate pair, escapes in names and
//! ids, a repeated field, unusual times, very deep nesting, a long line with very many places).
#![no_std]

mod escapes;
mod fields;
mod kept;
mod marks;
mod record;
mod runs;
pub mod shapes;
#[cfg_attr(target_arch = "wasm32", path = "simd_wasm.rs")]
#[cfg_attr(target_arch = "x86_64", path = "simd_x86.rs")]
mod simd;
mod utf8;
mod values;
#[cfg(target_arch = "wasm32")]
mod wasm;

use fields::{Fields, Names};
use kept::{Kept, MAX_ALL_SLOTS, MAX_SLOTS};
use marks::{BLOCK, Marker, Marks};
use record::{Input, Refusal};
use shapes::Shapes;
use simd::Bytes16;

pub const MAX_ROWS: usize = 8192;
pub const PROGRAM_WORDS: usize = 1024;

pub const UNCLEAR: u32 = u32::MAX;
pub const NOT_AN_OBJECT: u32 = u32::MAX - 1;

/// One line: its first and last place in the input, its shape or why it has none, and its first slot.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Row {
    pub start: u32,
    pub end: u32,
    pub shape: u32,
    pub slot: u32,
}

pub struct Scanner {
    input: *mut u8,
    places: *mut u32,
    notes: *mut u32,
    input_bytes: usize,
    pub program: [u16; PROGRAM_WORDS],
    pub names: Names,
    pub seeds: [u32; 2],
    pub rows: [Row; MAX_ROWS],
    pub shapes: Shapes,
    fields: Fields,
    kept: Kept,
    place_count: usize,
    note_count: usize,
    /// Whether the marked lines had more places than there is room for. They are left to the host.
    is_full: bool,
    next_place: usize,
    next_note: usize,
    line: usize,
    end: usize,
}

/// One more byte for the newline of a last line without one, and a block that may be read with the last one.
const fn room(input_bytes: usize) -> usize {
    input_bytes + 1 + BLOCK
}

/// Bytes that are marked at once, with the rest of the line in which they end.
const WINDOW: usize = 512 * 1024;
/// Up to so many, there is a place for each of them.
const FULL_WINDOW: usize = WINDOW + 128 * 1024;
/// Of a longer line, one of so many bytes.
const BYTES_PER_PLACE: usize = 16;

/// `places` has room for a window and for a block that is written at once, `notes` for each block.
const fn mark_counts(input_bytes: usize) -> (usize, usize) {
    let room = room(input_bytes);
    let places = if room <= FULL_WINDOW { room } else { FULL_WINDOW + room / BYTES_PER_PLACE };
    (places + BLOCK, room / BLOCK + 1)
}

/// The memory that `reserve` needs for an input of so many bytes.
pub const fn bytes_for(input_bytes: usize) -> usize {
    let (places, notes) = mark_counts(input_bytes);
    (places + notes) * size_of::<u32>() + room(input_bytes)
}

impl Scanner {
    /// Uses this memory for the input and its marks, before anything is scanned.
    ///
    /// # Safety
    /// It is aligned for `u32`, as long as `bytes_for` says, initialized, and used by nothing else.
    pub unsafe fn reserve(&mut self, memory: *mut u8, input_bytes: usize) {
        let (places, notes) = mark_counts(input_bytes);
        self.input_bytes = input_bytes;
        self.places = memory.cast();
        // SAFETY: all three are parts of the memory.
        unsafe {
            self.notes = self.places.add(places);
            self.input = self.notes.add(notes).cast();
        }
    }

    /// The input and its marks.
    fn memory(&mut self) -> (&'static mut [u8], &'static mut [u32], &'static mut [u32]) {
        let (places, notes) = mark_counts(self.input_bytes);
        // SAFETY: `reserve` was called, and each part is used once at a time.
        unsafe {
            (
                core::slice::from_raw_parts_mut(self.input, room(self.input_bytes)),
                core::slice::from_raw_parts_mut(self.places, places),
                core::slice::from_raw_parts_mut(self.notes, notes),
            )
        }
    }

    /// Where the host writes what is to be scanned.
    pub fn input(&self) -> *mut u8 {
        self.input
    }

    /// Takes the program, and forgets all shapes.
    pub fn configure(&mut self) {
        self.fields.read(&self.program, &self.names);
        self.kept.runs.clear();
        self.shapes.clear();
    }

    /// Makes one line of several, for a document that is written in lines. A tab is white space, too, and a text may
    /// have neither of them.
    pub fn join_lines(&mut self, start: usize, end: usize) {
        let (input, _, _) = self.memory();
        for byte in &mut input[start..end] {
            *byte = if *byte == b'\n' { b'\t' } else { *byte };
        }
    }

    /// Begins to scan whole lines of the input. The last one may be without a newline.
    pub fn begin(&mut self, start: usize, end: usize) {
        let (input, _, _) = self.memory();
        self.end = end;
        if start < end && input[end - 1] != b'\n' {
            input[end] = b'\n';
            self.end += 1;
        }
        (self.place_count, self.next_place, self.line) = (0, 0, start);
    }

    /// Marks the next lines. There is at least one.
    #[inline(never)]
    fn mark(&mut self) {
        let (input, places, notes) = self.memory();
        let start = self.line;
        let end =
            if self.end - start <= FULL_WINDOW { self.end } else { end_of_line(&input[..self.end], start + WINDOW) };
        // What follows is not part of these lines.
        let rest = &mut input[end..end + BLOCK];
        let mut held = [b' '; BLOCK];
        held.swap_with_slice(rest);
        let mut marks = Marks { places, place_count: 0, notes, note_count: 0, is_full: false };
        // SAFETY: spaces follow the last line.
        unsafe { Marker::mark(&input[..end], start, &mut marks) };
        if marks.is_full {
            marks.place_count = 0;
            let mut next = start;
            while next < end {
                next = end_of_line(&input[..end], next);
                marks.places[marks.place_count] = next as u32 - 1;
                marks.place_count += 1;
            }
        }
        (self.place_count, self.note_count, self.is_full) = (marks.place_count, marks.note_count, marks.is_full);
        (self.next_place, self.next_note) = (0, 0);
        input[end..end + BLOCK].copy_from_slice(&held);
    }

    /// Fills `rows` and `slots` for the next lines, and gives the number of rows: 0 at the end.
    pub fn advance(&mut self) -> usize {
        if self.next_place == self.place_count && self.line < self.end {
            self.mark();
        }
        let (input, places, notes) = self.memory();
        let (bytes, places, notes) = (&input[..self.end], &places[..self.place_count], &notes[..self.note_count]);
        let mut rows = 0;
        self.kept.slot_count = 0;
        let records = Input { bytes, places, fields: &self.fields, names: &self.names, seeds: self.seeds };
        while self.next_place < places.len() && rows < MAX_ROWS && self.kept.slot_count + MAX_SLOTS <= MAX_ALL_SLOTS {
            let mut next = self.next_place;
            self.kept.start();
            let result = if self.is_full { Err(Refusal::Unclear) } else { records.read(&mut next, &mut self.kept) };
            next = next.max(self.next_place + 1);
            while bytes[places[next - 1] as usize] != b'\n' {
                next += 1;
            }
            let end = places[next - 1] as usize;
            let is_noted = is_noted(notes, &mut self.next_note, self.line, end);
            let shape = match result {
                Err(Refusal::NotAnObject) => NOT_AN_OBJECT,
                Err(Refusal::Unclear) => UNCLEAR,
                Ok(()) if is_noted => UNCLEAR,
                Ok(()) => self.shapes.number(self.kept.shape()).unwrap_or(UNCLEAR),
            };
            let slot = self.kept.slot_start;
            self.rows[rows] = Row { start: self.line as u32, end: end as u32, shape, slot: slot as u32 };
            if shape >= NOT_AN_OBJECT {
                self.kept.slot_count = slot;
            }
            rows += 1;
            self.next_place = next;
            self.line = end + 1;
        }
        rows
    }
}

/// The place after the newline that is at `at` or after it. There is one, and a block can be read from it on.
fn end_of_line(bytes: &[u8], mut at: usize) -> usize {
    loop {
        assert!(at < bytes.len());
        // SAFETY: this is one of the bytes.
        let newlines = unsafe { Bytes16::load(bytes.as_ptr().add(at)) }.equals(Bytes16::splat(b'\n')).mask();
        if newlines != 0 {
            return at + newlines.trailing_zeros() as usize + 1;
        }
        at += Bytes16::LENGTH;
    }
}

/// Whether a noted block touches the line from `start` to `end`.
#[inline(always)]
fn is_noted(notes: &[u32], next: &mut usize, start: usize, end: usize) -> bool {
    while *next < notes.len() && notes[*next] as usize + BLOCK <= start {
        *next += 1;
    }
    *next < notes.len() && notes[*next] as usize <= end
}
