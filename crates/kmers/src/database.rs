//! Files of counted k-mers: one interface to read any of them and to write most.
