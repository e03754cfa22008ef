//! Imports of generated code.

pub(crate) use crate::{
    distinct,
    endpoint::{self, Routes, Stub, guarded},
    enums::{constant, enumeration, enumeration_in_requests},
    formats,
    idempotency::{Handling, KeyedRequest, Once, once},
    objects::{self, object},
    rules,
    small_map::SmallMap,
    unions::{part_of, whole},
    values::*,
};

pub use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

pub use ids::*;
pub use poem::{Request, RequestBody, Response};
pub use poem_openapi::{
    OpenApi, Tags,
    registry::{MetaApi, MetaParamIn, Registry},
};
pub use regex::Regex;
pub use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
pub use serde_json::Value;
pub use validator::{Validate, ValidationError, ValidationErrors};

pub use crate::{
    answer::*,
    call::{Call, Operation, Scope},
    error::ApiError,
    input::*,
};
