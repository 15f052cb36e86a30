package dev.sallyport.core.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes the JSON Schema (2020-12) of the whole configuration from the records of the engine and the available
 * plug-ins.
 */
public final class SchemaGenerator {

    private static final String SECRET_SOURCE = "secret_source";
    private static final String TRANSFORM = "transform";

    private final PluginCatalog catalog;
    private final Map<Class<?>, String> names = new HashMap<>();
    private final TreeMap<String, ObjectNode> definitions = new TreeMap<>();

    private SchemaGenerator(PluginCatalog catalog) {
        this.catalog = catalog;
    }

    /** The schema, indented, ended by a newline. The same plug-ins give the same text. */
    public static String generate(PluginCatalog catalog) {
        return new SchemaGenerator(catalog).text();
    }

    private String text() {
        ObjectNode root = object();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("$id", "urn:sallyport:configuration");
        root.put("title", "Sallyport configuration");
        root.setAll(block(CoreSections.class));
        ObjectNode properties = (ObjectNode) root.get("properties");
        for (String name : catalog.sectionNames()) {
            Descriptor<?> section =
                    Objects.requireNonNull(catalog.section(name)).descriptor();
            properties.set(name, reference(section.configType()).put("description", section.summary()));
        }
        for (String name : catalog.companionNames()) {
            SectionFactory<?> section = Objects.requireNonNull(catalog.companion(name));
            properties.set(name, reference(section.configType()).put("description", section.summary()));
        }
        // Both lists are in $defs although a configuration may use neither.
        definitions.put(TRANSFORM, transform());
        definitions.put(SECRET_SOURCE, secretSource());
        root.putObject("$defs").setAll(definitions);
        try {
            DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
            printer.indentArraysWith(new DefaultIndenter("  ", "\n"));
            printer.indentObjectsWith(new DefaultIndenter("  ", "\n"));
            return new ObjectMapper().writer(printer).writeValueAsString(root) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private ObjectNode transform() {
        ObjectNode definition = object();
        ArrayNode alternatives = definition.putArray("oneOf");
        for (String name : catalog.transformNames()) {
            TransformFactory<?> factory = Objects.requireNonNull(catalog.transform(name));
            if (!name.equals(factory.descriptor().name())) {
                continue; // stands with its first name
            }
            Class<? extends Record> type = factory.descriptor().configType();
            ObjectNode entry = alternatives.addObject();
            entry.put("type", "object").put("additionalProperties", false);
            ObjectNode properties = entry.putObject("properties");
            properties.set("name", named(factory.descriptor()));
            properties.set("config", reference(type));
            ArrayNode required = entry.putArray("required").add("name");
            if (RecordShape.of(type).fields().values().stream().anyMatch(RecordShape.Field::required)) {
                required.add("config");
            }
        }
        return definition;
    }

    private ObjectNode secretSource() {
        ObjectNode definition = object().put("description", "Source of a secret.");
        ArrayNode alternatives = definition.putArray("oneOf");
        for (String type : catalog.sourceTypes()) {
            SecretSourceFactory<?> factory = Objects.requireNonNull(catalog.source(type));
            if (!type.equals(factory.descriptor().name())) {
                continue;
            }
            ObjectNode source = block(factory.descriptor().configType());
            ObjectNode properties = object();
            properties.set("type", named(factory.descriptor()));
            properties.setAll((ObjectNode) source.get("properties"));
            properties.setAll((ObjectNode) block(PluginBinder.SourceKeys.class).get("properties"));
            source.set("properties", properties);
            ArrayNode required = array().add("type");
            if (source.get("required") instanceof ArrayNode own) {
                required.addAll(own);
            }
            source.set("required", required);
            alternatives.add(source);
        }
        return definition;
    }

    private static ObjectNode named(Descriptor<?> plugin) {
        ObjectNode schema = object();
        if (plugin.names().size() == 1) {
            schema.put("const", plugin.name());
        } else {
            ArrayNode names = schema.putArray("enum");
            plugin.names().forEach(names::add);
        }
        return schema.put("description", plugin.summary());
    }

    private ObjectNode reference(Class<? extends Record> type) {
        String name = names.get(type);
        if (name == null) {
            name = name(type == RuleFields.class ? Rule.class : type);
            names.put(type, name);
            definitions.put(name, object()); // Added first, so that a record may contain itself.
            definitions.put(name, block(type));
        }
        return object().put("$ref", "#/$defs/" + name);
    }

    /** The class name with the last part of its package, which distinguishes plug-ins. */
    private String name(Class<?> type) {
        String module = type.getPackageName().substring(type.getPackageName().lastIndexOf('.') + 1);
        String plain = type.getName().substring(type.getName().lastIndexOf('.') + 1);
        String name = module + "." + plain.replace('$', '.');
        String unique = name;
        for (int i = 2; definitions.containsKey(unique); i++) {
            unique = name + "." + i;
        }
        return unique;
    }

    private ObjectNode block(Class<? extends Record> type) {
        ObjectNode schema = object().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = array();
        for (RecordShape.Field field : RecordShape.of(type).fields().values()) {
            properties.set(field.key(), field(field));
            if (field.required()) {
                required.add(field.key());
            }
        }
        if (type == WorkloadSection.class) {
            for (String name : catalog.sectionNames()) {
                Descriptor<?> section =
                        Objects.requireNonNull(catalog.section(name)).descriptor();
                properties.set(name, reference(section.configType()).put("description", section.summary()));
            }
            array().add("source_cidrs")
                    .add("proxy_users")
                    .forEach(selector -> schema.withArray("anyOf")
                            .addObject()
                            .putArray("required")
                            .add(selector.asText()));
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        if (type == RuleFields.class) {
            ArrayNode exclusive = schema.putArray("oneOf");
            exclusive.addObject().putArray("required").add("host");
            exclusive.addObject().putArray("required").add("cidr");
        }
        return schema;
    }

    private ObjectNode field(RecordShape.Field field) {
        ObjectNode schema = kind(field.kind(), field);
        if (!field.description().isEmpty()) {
            schema.put("description", field.description());
        }
        if (!field.defaultText().isEmpty()) {
            DefaultValues.put(schema, field);
        }
        return schema;
    }

    private ObjectNode kind(BindingKind kind, RecordShape.Field field) {
        return switch (kind) {
            case ScalarKind scalar -> ScalarSchema.of(scalar, field);
            case BindingKind.Choice choice -> {
                ObjectNode schema = object();
                ArrayNode constants = schema.putArray("enum");
                choice.constants().keySet().forEach(constants::add);
                yield schema;
            }
            case BindingKind.Many many -> {
                ObjectNode schema = object().put("type", "array");
                schema.set("items", kind(many.item(), field));
                yield schema;
            }
            case BindingKind.Named named -> {
                ObjectNode schema = object().put("type", "object");
                schema.set("additionalProperties", kind(named.value(), field));
                yield schema;
            }
            case BindingKind.Block block -> reference(block.type());
            case BindingKind.Reference secret -> object().put("$ref", "#/$defs/" + SECRET_SOURCE);
            case BindingKind.Entry entry -> object().put("$ref", "#/$defs/" + TRANSFORM);
            case BindingKind.Any any -> object();
        };
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** Defaults as values. */
    private static final class DefaultValues {

        static void put(ObjectNode schema, RecordShape.Field field) {
            if (field.kind() instanceof BindingKind.Many many) {
                ArrayNode items = schema.putArray("default");
                if (TextNodes.of(field.kind(), field.defaultText(), new Location("", 0, 0))
                        instanceof ConfigNode.Sequence sequence) {
                    sequence.items().forEach(item -> add(items, many.item(), ((ConfigNode.Scalar) item).text()));
                }
                return;
            }
            ArrayNode one = array();
            add(one, field.kind(), field.defaultText());
            schema.set("default", one.get(0));
        }

        private static void add(ArrayNode values, @Nullable BindingKind kind, String text) {
            if (kind == ScalarKind.INT || kind == ScalarKind.LONG) {
                values.add(Long.parseLong(text));
            } else if (kind == ScalarKind.BOOLEAN) {
                values.add(Boolean.parseBoolean(text));
            } else if (kind == ScalarKind.NUMBER) {
                values.add(Double.parseDouble(text));
            } else {
                values.add(text);
            }
        }
    }
}
