//! Read names as Illumina's software writes them: instrument, run, flow cell, lane, tile, x, y.

use std::io::Write;

use crate::Mode;
use crate::random::Random;

/// Reads per tile; y grows through a tile as it does in real files, so that names share their high digits.
const PER_TILE: u64 = 40_000;

/// Counts through lane and tiles.
pub(crate) struct Names {
    mode: Mode,
    record: u64,
    y: u64,
}

impl Names {
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            mode,
            record: 0,
            y: 0,
        }
    }

    /// Appends `@name description` and a newline.
    pub(crate) fn write(&mut self, record: &mut Vec<u8>, random: &mut Random) {
        let tile = self.record / PER_TILE;
        if self.record.is_multiple_of(PER_TILE) {
            self.y = 1950;
        }
        self.record += 1;
        self.y += random.below(5);
        // Surfaces 1 and 2, swaths 1 to 3, tiles 1 to 16 of a HiSeq 2500 lane; NovaSeq has more tiles.
        let tiles = if self.mode == Mode::HiSeq { 16 } else { 78 };
        let (number, swath, surface) = (
            tile % tiles + 1,
            tile / tiles % 3 + 1,
            tile / tiles / 3 % 2 + 1,
        );
        let (lane, x, y) = (tile / tiles / 6 + 1, 1200 + random.below(19_800), self.y);
        let tile = surface * 1000 + swath * 100 + number;
        let result = match self.mode {
            Mode::HiSeq => {
                writeln!(
                    record,
                    "@D00360:94:H2YT5BCXX:{lane}:{tile}:{x}:{y} 1:N:0:CGATGT"
                )
            }
            Mode::NovaSeq => {
                writeln!(
                    record,
                    "@A00228:279:HFWFVDMXX:{lane}:{tile}:{x}:{y} 1:N:0:GATCTATC+ATGAGGCT"
                )
            }
        };
        result.expect("writing into a Vec cannot fail");
    }
}
