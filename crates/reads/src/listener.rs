use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Is called with the path of a file that there is something to say of, by whichever thread finds it out.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(&Path) + Send + Sync>);

impl Listener {
    /// Have `hear` called.
    pub fn new(hear: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Say it of `path`.
    pub fn tell(&self, path: &Path) {
        (self.0)(path);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}
