//! The files of the templates, which are part of the program.

/// A template with its files.
pub struct Files {
    pub id: &'static str,
    pub title: &'static str,
    pub emoji: &'static str,
    pub description: &'static str,
    /// By their paths.
    pub texts: &'static [(&'static str, &'static str)],
}

/// Includes the files of a folder beside this file.
macro_rules! texts {
    ($folder:literal: $($path:literal)*) => {
        &[$(($path, include_str!(concat!($folder, "/", $path))),)*]
    };
}

pub const ALL: &[Files] = &[
    Files {
        id: "builtin:handbook",
        title: "Team handbook",
        emoji: "1f4d5",
        description: "How a team works together: first days, meetings, decisions, time off and tools.",
        texts: texts!["handbook":
            "SUMMARY.md" "vars.yaml" "welcome.md" "first-days.md" "meetings.md" "decisions.md" "time-off.md" "tools.md"
        ],
    },
    Files {
        id: "builtin:api-reference",
        title: "API reference",
        emoji: "1f50c",
        description: "An API for the people who call it: first call, authentication, errors, paging, limits and resources.",
        texts: texts!["api-reference":
            "SUMMARY.md" "vars.yaml" "introduction.md" "first-call.md" "authentication.md" "errors.md" "paging.md"
            "rate-limits.md" "resources/README.md" "resources/orders.md" "versions.md"
        ],
    },
    Files {
        id: "builtin:product-guide",
        title: "Product guide",
        emoji: "1f9ed",
        description: "A product for the people who use it: getting started, tasks step by step, settings, problems and words.",
        texts: texts!["product-guide":
            "SUMMARY.md" "vars.yaml" "overview.md" "getting-started.md" "tasks/README.md" "tasks/first-task.md"
            "settings.md" "troubleshooting.md" "glossary.md"
        ],
    },
    Files {
        id: "builtin:runbook",
        title: "Runbook",
        emoji: "1f6a8",
        description: "What to do when a service fails: alerts, procedures, the course of an incident and the review after it.",
        texts: texts!["runbook":
            "SUMMARY.md" "vars.yaml" "service.md" "incident.md" "alerts/README.md" "alerts/high-error-rate.md"
            "procedures/README.md" "procedures/roll-back.md" "procedures/restore.md" "review.md"
        ],
    },
    Files {
        id: "builtin:changelog",
        title: "Changelog",
        emoji: "1f4f0",
        description: "What changed in a product, for its users: releases, an upgrade guide and how to write entries.",
        texts: texts!["changelog": "SUMMARY.md" "vars.yaml" "changelog.md" "upgrading.md" "deprecations.md" "writing.md"],
    },
];
