//! Links the module as Python loads it.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
