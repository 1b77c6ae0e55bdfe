//! Options that have been checked, in the form in which the steps want them.

use crate::options::check;
use crate::steps::{
    AdapterTrimmer, BaseCorrection, ComplexityFilter, FrontAdapters, GlobalTrim, IndexFilter,
    LengthFilter, OverlapFinder, PolyATrim, PolyGTrim, PolyXTrim, QualityCut, QualityFilter, Umi,
    is_two_colour, two_colour_instrument,
};
use crate::{Error, Mode, Options};

/// What each step is to do: [`Options`], checked. Shared by all workers.
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) options: Options,
    pub(crate) index_filter: Option<IndexFilter>,
    pub(crate) umi: Option<Umi>,
    /// For read 1 and read 2.
    pub(crate) trim: [GlobalTrim; 2],
    pub(crate) cut: QualityCut,
    pub(crate) front_adapters: Option<FrontAdapters>,
    pub(crate) poly_g: Option<PolyGTrim>,
    /// Its serial number, if it is the reason for that.
    pub(crate) two_colour_instrument: Option<Box<str>>,
    pub(crate) overlap: OverlapFinder,
    pub(crate) correction: Option<BaseCorrection>,
    pub(crate) adapters: Option<AdapterTrimmer>,
    pub(crate) poly_a: Option<PolyATrim>,
    pub(crate) poly_x: Option<PolyXTrim>,
    /// For read 1 and read 2; 0: no limit.
    pub(crate) max_length: [usize; 2],
    pub(crate) quality: Option<QualityFilter>,
    pub(crate) length: Option<LengthFilter>,
    pub(crate) complexity: Option<ComplexityFilter>,
}

impl Config {
    /// Check options.
    ///
    /// # Errors
    /// The first option whose value is out of its range, or that contradicts another.
    pub fn new(options: Options) -> Result<Self, Error> {
        let o = &options;
        check(o)?;
        let config = Config {
            index_filter: IndexFilter::new(o),
            umi: Umi::new(o),
            trim: GlobalTrim::of_mates(o),
            cut: QualityCut::new(o),
            front_adapters: FrontAdapters::new(o),
            poly_g: (o.trim_poly_g == Some(true)).then(|| PolyGTrim::new(o)),
            two_colour_instrument: None,
            overlap: OverlapFinder::new(o),
            // A merged read shall have the better of two bases.
            correction: (o.paired && (o.correction || o.merge)).then_some(BaseCorrection),
            adapters: (!o.disable_adapter_trimming).then(|| AdapterTrimmer::new(o)),
            poly_a: PolyATrim::new(o),
            poly_x: PolyXTrim::new(o),
            max_length: [o.max_len1, o.max_len2.unwrap_or(o.max_len1)],
            quality: QualityFilter::new(o),
            length: LengthFilter::new(o),
            complexity: ComplexityFilter::new(o),
            options,
        };
        Ok(config)
    }

    /// The options that were checked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether to follow fastp where it is wrong.
    pub fn mode(&self) -> Mode {
        self.options.mode
    }

    /// Whether tails of G are cut.
    pub fn trims_poly_g(&self) -> bool {
        self.poly_g.is_some()
    }

    /// The serial number of the instrument for which tails of G are cut; `None` if the options ask for that, or fastp, which is
    /// followed, does it by the begin of a name.
    pub fn two_colour_instrument(&self) -> Option<&str> {
        self.two_colour_instrument.as_deref()
    }

    /// Whether adapters at the 5' end are cut.
    pub fn cuts_front_adapters(&self) -> bool {
        self.front_adapters.is_some()
    }

    /// Decide about tails of G by the name of the first read, unless the options did.
    pub fn set_first_name(&mut self, head: &[u8]) {
        let asked = self.options.trim_poly_g.is_some();
        if !asked && is_two_colour(head, self.options.mode) {
            self.poly_g = Some(PolyGTrim::new(&self.options));
            let serial = two_colour_instrument(head).filter(|_| self.options.mode.is_correct());
            self.two_colour_instrument =
                serial.map(|serial| String::from_utf8_lossy(serial).into());
        }
    }

    /// Cut this adapter from read `mate` (0 or 1), as it was found in the data. Does
    /// nothing where the options name one.
    pub fn set_detected_adapter(&mut self, mate: usize, sequence: &[u8]) {
        if let Some(adapters) = &mut self.adapters {
            adapters.set_detected(mate, sequence);
        }
    }

    /// The adapter that is searched in read `mate` (0 or 1) by its sequence.
    pub fn adapter_sequence(&self, mate: usize) -> Option<&[u8]> {
        self.adapters.as_ref()?.sequence(mate)
    }
}
