//! `judgecore._core`: conversions between Python objects and the engine.
//!
//! The public documentation is in `_core.pyi`.

mod arrays;
mod arrow_text;
mod capsule;
mod column;
mod cut;
mod deep;
mod error;
mod format;
mod hashing;
mod inherited;
mod json;
mod json_column;
mod json_text;
mod keys;
mod logprobs;
mod material;
mod objects;
mod one;
mod outcome;
mod outcomes;
mod parse;
mod pickle;
mod pool;
mod readings;
mod record;
mod stats;
mod table;
mod text;
mod value_column;
mod value_objects;
mod value_text;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::format::{PyFormat, format_schema, formats, key_lines, read_formats, taxonomy};
    #[pymodule_export]
    use crate::hashing::{canonical_json, content_hash};
    #[pymodule_export]
    use crate::inherited::ResponseParser;
    #[pymodule_export]
    use crate::json::{extract_json, extract_json_many};
    #[pymodule_export]
    use crate::logprobs::{score_logprobs, score_logprobs_many};
    #[pymodule_export]
    use crate::outcome::{PyGuardVerdict, PyReading, PyRepair, PyUnreadable};
    #[pymodule_export]
    use crate::parse::{parse, parse_many};
    #[pymodule_export]
    use crate::readings::Readings;
    #[pymodule_export]
    use crate::stats::{
        auroc, bootstrap_alpha, bootstrap_mean, bootstrap_pair, bradley_terry, calibration, dawid_skene,
        gwet_agreement, harm_metrics, krippendorff_alpha, majority, mcnemar, objective_metrics, pair_statistic,
        paired_bootstrap, position_bias, ppi_mean, rogan_gladen, spearman, weighted_kappa, wilson_interval,
    };

    #[pymodule_export]
    use crate::table::{TableReader, json_array_lines, table_columns};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("READING_VERSION", judgecore::READING_VERSION)?;
        let reasons = judgecore::Reason::ALL.map(judgecore::Reason::name);
        module.add("REASONS", pyo3::types::PyTuple::new(module.py(), reasons)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
