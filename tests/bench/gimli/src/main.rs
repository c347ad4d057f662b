// SPDX-License-Identifier: MIT
//
// gimli-addr2line FILE < ADDRESSES: what the addr2line crate says of each 0x... line, printed as
// GNU's addr2line -afi prints it: names as DWARF has them, no help from the symbol table. A peer
// for tests/bench/symbolize.sh: the file is mapped, sections are borrowed, output is buffered.
use object::{Object, ObjectSection};
use std::io::{self, BufRead, Write};

type Bytes<'a> = gimli::EndianSlice<'a, gimli::LittleEndian>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: gimli-addr2line FILE < ADDRESSES")?;
    let map = unsafe { memmap2::Mmap::map(&std::fs::File::open(path)?)? };
    let file = object::File::parse(&map[..])?;
    let section = |id: gimli::SectionId| -> Result<Bytes<'_>, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|s| s.data().ok());
        Ok(gimli::EndianSlice::new(data.unwrap_or(&[]), gimli::LittleEndian))
    };
    let context = addr2line::Context::from_dwarf(gimli::Dwarf::load(section)?)?;
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());

    for line in io::stdin().lock().lines() {
        let line = line?;
        let address = u64::from_str_radix(line.trim_start_matches("0x"), 16)?;
        let mut frames = context.find_frames(address)?;
        let mut any = false;

        writeln!(out, "0x{:016x}", address)?;
        while let Some(frame) = frames.next()? {
            any = true;
            match frame.function.as_ref().and_then(|f| f.raw_name().ok()) {
                Some(name) => writeln!(out, "{}", name)?,
                None => writeln!(out, "??")?,
            }
            match frame.location {
                Some(at) => {
                    write!(out, "{}:", at.file.unwrap_or("??"))?;
                    match at.line {
                        Some(line) if line != 0 => writeln!(out, "{}", line)?,
                        _ => writeln!(out, "?")?,
                    }
                }
                None => writeln!(out, "??:?")?,
            }
        }
        if !any {
            writeln!(out, "??\n??:0")?;
        }
    }
    out.flush()?;
    Ok(())
}
