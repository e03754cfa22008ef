//! The schemas of the types of the contract, for the derived document.

use std::collections::BTreeMap;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::Type,
};

use crate::values::{False, Maybe, Nullable, Timestamp, True};

/// A named type of the contract, described by generated code.
pub trait Described {
    const NAME: &'static str;
    fn describe(registry: &mut Registry) -> MetaSchema;
}

/// The schema of a type in the derived document.
pub trait Schema {
    /// Always there, unless a default takes its place.
    const IS_REQUIRED: bool = true;

    fn schema_ref() -> MetaSchemaRef;

    /// Adds the named types that the schema refers to.
    fn register(_: &mut Registry) {}
}

/// The schema of a type that is described by name.
macro_rules! named_type {
    ($name:ident) => {
        impl $crate::describe::Schema for $name {
            fn schema_ref() -> MetaSchemaRef {
                MetaSchemaRef::Reference(<Self as $crate::describe::Described>::NAME.into())
            }

            fn register(registry: &mut Registry) {
                registry.create_schema::<Self, _>(
                    <Self as $crate::describe::Described>::NAME.into(),
                    <Self as $crate::describe::Described>::describe,
                );
            }
        }
    };
}
pub(crate) use named_type;

/// Types whose schema the framework knows.
macro_rules! known_type {
    ($($known:ty),+) => {$(
        impl Schema for $known {
            fn schema_ref() -> MetaSchemaRef {
                <$known as Type>::schema_ref()
            }
        }
    )+};
}

known_type!(String, bool, u32, u64, i64, f64, serde_json::Value);

impl<T: Schema> Schema for Option<T> {
    const IS_REQUIRED: bool = false;

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Schema> Schema for Vec<T> {
    fn schema_ref() -> MetaSchemaRef {
        inline(MetaSchema {
            items: Some(Box::new(T::schema_ref())),
            ..MetaSchema::new("array")
        })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Schema> Schema for BTreeMap<String, T> {
    fn schema_ref() -> MetaSchemaRef {
        inline(MetaSchema {
            additional_properties: Some(Box::new(T::schema_ref())),
            ..MetaSchema::new("object")
        })
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// An object in the making.
pub struct Object<'a> {
    registry: &'a mut Registry,
    schema: MetaSchema,
}

impl<'a> Object<'a> {
    pub fn new(registry: &'a mut Registry, title: &str, description: &'static str) -> Self {
        let schema = MetaSchema {
            title: Some(title.to_owned()),
            description: Some(description),
            ..MetaSchema::new("object")
        };
        Self { registry, schema }
    }

    /// Adds a member; `rules` are laid over what its type says by itself.
    pub fn member<T: Schema>(mut self, name: &'static str, required: bool, rules: MetaSchema) -> Self {
        T::register(self.registry);
        self.schema.properties.push((name, lay_over(T::schema_ref(), rules)));
        if required {
            self.schema.required.push(name);
        }
        self
    }

    /// Further members may hold anything.
    pub fn open(mut self) -> Self {
        self.schema.additional_properties = Some(Box::new(inline(MetaSchema::ANY)));
        self
    }

    pub fn done(self) -> MetaSchema {
        self.schema
    }
}

/// The framework's own merge leaves formats out.
pub(crate) fn lay_over(schema: MetaSchemaRef, rules: MetaSchema) -> MetaSchemaRef {
    let (format, items) = (rules.format, rules.items.clone());
    let mut merged = schema.merge(rules);
    if let MetaSchemaRef::Inline(inner) = &mut merged {
        inner.format = format.or(inner.format);
        let format = items.as_deref().and_then(|items| match items {
            MetaSchemaRef::Inline(items) => items.format,
            MetaSchemaRef::Reference(_) => None,
        });
        if let Some(MetaSchemaRef::Inline(item)) = inner.items.as_deref_mut() {
            item.format = format.or(item.format);
        }
    }
    merged
}

/// One of several types; the discriminator is left to the constant members of the variants.
pub fn choice(title: &str, description: &'static str, variants: Vec<MetaSchemaRef>) -> MetaSchema {
    MetaSchema {
        title: Some(title.to_owned()),
        description: Some(description),
        one_of: variants,
        ..MetaSchema::ANY
    }
}

/// A choice; `rules` are laid over what its type says by itself.
pub fn variant<T: Schema>(registry: &mut Registry, rules: MetaSchema) -> MetaSchemaRef {
    T::register(registry);
    lay_over(T::schema_ref(), rules)
}

pub fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

/// The same schema, `null` allowed.
fn nullable(schema: MetaSchemaRef) -> MetaSchemaRef {
    match schema {
        MetaSchemaRef::Inline(inner) => inline(MetaSchema {
            nullable: true,
            ..*inner
        }),
        reference => inline(MetaSchema {
            nullable: true,
            all_of: vec![reference],
            ..MetaSchema::ANY
        }),
    }
}

macro_rules! wrapper_type {
    ($wrapper:ident, $required:literal) => {
        impl<T: Schema> Schema for $wrapper<T> {
            const IS_REQUIRED: bool = $required;

            fn schema_ref() -> MetaSchemaRef {
                nullable(T::schema_ref())
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }
        }
    };
}

wrapper_type!(Maybe, false);
wrapper_type!(Nullable, true);

impl Schema for Timestamp {
    fn schema_ref() -> MetaSchemaRef {
        inline(MetaSchema::new_with_format("string", "date-time"))
    }
}

impl Schema for True {
    fn schema_ref() -> MetaSchemaRef {
        constant(true)
    }
}

impl Schema for False {
    fn schema_ref() -> MetaSchemaRef {
        constant(false)
    }
}

fn constant(value: bool) -> MetaSchemaRef {
    inline(MetaSchema {
        enum_items: vec![value.into()],
        ..MetaSchema::new("boolean")
    })
}
