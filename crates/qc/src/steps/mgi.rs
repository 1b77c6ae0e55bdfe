//! Names of MGI instruments.

use crate::Read;

/// Put a space before `/1` or `/2` at the end of a name, which MGI writes without,
/// so that programs that drop what follows a space find the same name for mates.
pub(crate) fn fix_mgi_name(read: &mut Read<'_>) {
    if let [.., b'/', b'1' | b'2'] = read.head() {
        read.rename(|old, new| {
            let (name, mate) = old.split_at(old.len() - 2);
            new.extend_from_slice(name);
            new.push(b' ');
            new.extend_from_slice(mate);
        });
    }
}
