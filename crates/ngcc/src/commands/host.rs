//! `ngcc host`: this machine.

use anyhow::Result;
use ngcc_lab::host;

use crate::args;
use crate::output::{Outcome, print_json, print_line, table};

/// Prints what is known of this machine.
pub(crate) fn host(args: &args::Host) -> Result<Outcome> {
    let facts = host::facts(None);
    if args.json {
        print_json(&facts)?;
        return Ok(Outcome::Success);
    }
    let mut table = table(&["fact", "value"]);
    table.add_row(["system".to_owned(), host::system_id(&facts)]);
    if let serde_json::Value::Object(fields) = serde_json::to_value(&facts)? {
        for (name, value) in fields {
            if name != "caveats" {
                table.add_row([name.replace('_', " "), plain(&value)]);
            }
        }
    }
    print_line(&table)?;
    for caveat in &facts.caveats {
        print_line(format!("note: {caveat}"))?;
    }
    Ok(Outcome::Success)
}

/// A JSON value without quotes and brackets.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "–".to_owned(),
        serde_json::Value::String(s) => s.clone(),
        serde_json::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
