//! What is kept of an opened file while its records are read.

use std::path::PathBuf;
use std::sync::Arc;

use thalweg_formats::FileFormat;
use thalweg_gzip::index::Index;

use crate::file::InputFile;
use crate::first_mates::FirstMates;
use crate::open::OpenedFile;

pub(crate) struct SectionFile {
    pub(crate) file: Arc<InputFile>,
    pub(crate) format: FileFormat,
    pub(crate) index: Option<Arc<Index>>,
    pub(crate) index_path: Option<PathBuf>,
    pub(crate) first_head: Vec<u8>,
    pub(crate) is_colour_space: bool,
    pub(crate) first_mates: Option<FirstMates>,
}

impl From<&OpenedFile> for SectionFile {
    fn from(opened: &OpenedFile) -> Self {
        Self {
            file: Arc::clone(&opened.file),
            format: opened.format,
            index: opened.index.clone(),
            index_path: opened.index_path.clone(),
            first_head: opened.first_head.clone(),
            is_colour_space: opened.is_colour_space,
            first_mates: opened.first_mates,
        }
    }
}
