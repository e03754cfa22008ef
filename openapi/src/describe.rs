//! What poem-openapi learns about the types of the contract.

use std::borrow::Cow;

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

/// `poem_openapi::types::Type` for a type that is described by name.
macro_rules! named_type {
    ($($name:ident),* $(,)?) => {$(
        impl poem_openapi::types::Type for $name {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> std::borrow::Cow<'static, str> {
                <Self as $crate::describe::Described>::NAME.into()
            }

            fn schema_ref() -> poem_openapi::registry::MetaSchemaRef {
                poem_openapi::registry::MetaSchemaRef::Reference(<Self as $crate::describe::Described>::NAME.into())
            }

            fn register(registry: &mut poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>(
                    <Self as $crate::describe::Described>::NAME.into(),
                    <Self as $crate::describe::Described>::describe,
                );
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }
    )*};
}
pub(crate) use named_type;

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
    pub fn member<T: Type>(mut self, name: &'static str, required: bool, rules: MetaSchema) -> Self {
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

pub fn enumeration(title: &str, description: &'static str, values: &[&str]) -> MetaSchema {
    MetaSchema {
        title: Some(title.to_owned()),
        description: Some(description),
        enum_items: values.iter().map(|value| (*value).into()).collect(),
        ..MetaSchema::new("string")
    }
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
pub fn variant<T: Type>(registry: &mut Registry, rules: MetaSchema) -> MetaSchemaRef {
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
        impl<T: Type> Type for $wrapper<T> {
            const IS_REQUIRED: bool = $required;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                format!("nullable_{}", T::name()).into()
            }

            fn schema_ref() -> MetaSchemaRef {
                nullable(T::schema_ref())
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }
    };
}

wrapper_type!(Maybe, false);
wrapper_type!(Nullable, true);

macro_rules! scalar_type {
    ($scalar:ident, $schema:expr) => {
        impl Type for $scalar {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                stringify!($scalar).into()
            }

            fn schema_ref() -> MetaSchemaRef {
                inline($schema)
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }
    };
}

scalar_type!(Timestamp, MetaSchema::new_with_format("string", "date-time"));
scalar_type!(True, constant(true));
scalar_type!(False, constant(false));

fn constant(value: bool) -> MetaSchema {
    MetaSchema {
        enum_items: vec![value.into()],
        ..MetaSchema::new("boolean")
    }
}
