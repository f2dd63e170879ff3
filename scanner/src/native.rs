//! The kernel as a native program, for the benchmark: scans a log once and prints what it found.
//!
//!     scan-native PROGRAM LOG
//!
//! PROGRAM is what the host writes into the kernel: the number of words, the words, the names.
use scanner::{NOT_AN_OBJECT, Scanner, bytes_for};
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::fs::File;
use std::io::Read;

/// What is held of an unfinished line, and what is read at once, as in the host.
const HELD_BYTES: usize = 8 * 1024 * 1024;
const CHUNK_BYTES: usize = 512 * 1024;
const INPUT_BYTES: usize = HELD_BYTES + CHUNK_BYTES;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(program), Some(log)) = (arguments.next(), arguments.next()) else {
        eprintln!("Usage: scan-native PROGRAM LOG");
        std::process::exit(2);
    };
    let mut scanner = new_scanner();
    let program = std::fs::read(program)?;
    let count = u16::from_le_bytes([program[0], program[1]]) as usize;
    let (words, names) = program[2..].split_at(count * 2);
    for (slot, word) in scanner.program.iter_mut().zip(words.chunks_exact(2)) {
        *slot = u16::from_le_bytes([word[0], word[1]]);
    }
    scanner.names[..names.len()].copy_from_slice(names);
    scanner.configure();
    let (lines, shaped) = scan(&mut scanner, File::open(log)?)?;
    println!("{lines} {shaped} {}", scanner.shapes.count);
    Ok(())
}

/// Zeros are a valid scanner. It is too large for the stack.
fn new_scanner() -> Box<Scanner> {
    let layout = Layout::new::<Scanner>();
    let input = Layout::from_size_align(bytes_for(INPUT_BYTES), align_of::<u32>()).expect("a layout");
    // SAFETY: every part is a number, a pointer or an array of numbers.
    unsafe {
        let mut scanner: Box<Scanner> = Box::from_raw(zeros(layout).cast());
        scanner.reserve(zeros(input), INPUT_BYTES);
        scanner
    }
}

fn zeros(layout: Layout) -> *mut u8 {
    // SAFETY: neither layout is empty.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    memory
}

/// The number of lines, and of those that were proved to be records.
fn scan(scanner: &mut Scanner, mut log: File) -> std::io::Result<(usize, usize)> {
    let (mut lines, mut shaped, mut held) = (0, 0, 0);
    let mut run = |scanner: &mut Scanner, start: usize, end: usize| {
        scanner.begin(start, end);
        loop {
            let rows = scanner.advance();
            if rows == 0 {
                break;
            }
            lines += rows;
            shaped += scanner.rows[..rows].iter().filter(|row| row.shape < NOT_AN_OBJECT).count();
        }
    };
    // SAFETY: nothing else uses it while nothing is scanned.
    let input = unsafe { std::slice::from_raw_parts_mut(scanner.input(), INPUT_BYTES) };
    loop {
        let read = log.read(&mut input[HELD_BYTES..HELD_BYTES + CHUNK_BYTES])?;
        let start = HELD_BYTES - held;
        let filled = HELD_BYTES + read;
        if read == 0 {
            run(scanner, start, filled);
            return Ok((lines, shaped));
        }
        let last = input[HELD_BYTES..filled].iter().rposition(|&byte| byte == b'\n');
        let end = last.map_or(start, |place| HELD_BYTES + place + 1);
        if end > start {
            run(scanner, start, end);
        }
        held = filled - end;
        assert!(held <= HELD_BYTES, "A line is too long for the kernel.");
        input.copy_within(end..filled, HELD_BYTES - held);
    }
}
