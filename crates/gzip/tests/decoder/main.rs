//! What decoders give, and where they fail, whichever way they decode.

mod whole_blocks;
