package dev.sallyport.core.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingEndEvent;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceEndEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.events.StreamEndEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads one YAML (or JSON) document. Values have the types of the core schema of YAML 1.2; keys are strings. Aliases
 * are followed, and merge keys applied, as long as the document stays of a reasonable size. Duplicate keys, tags and
 * further documents are problems.
 */
final class YamlReader {

    static final int MAX_CHARACTERS = DocumentLimits.CHARACTERS;
    static final int MAX_DEPTH = DocumentLimits.DEPTH;
    static final int MAX_NODES = DocumentLimits.NODES;

    private static final String MERGE_KEY = "<<";

    private final String source;
    private final Findings findings;
    private final Parser parser;
    private final Map<String, @Nullable ConfigNode> anchors = new HashMap<>();
    private final IdentityHashMap<ConfigNode, Integer> sizes = new IdentityHashMap<>();
    private int nodes;
    /** The start of the last event. */
    private Location last;

    private YamlReader(String source, String text, Findings findings) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARACTERS);
        options.setProcessComments(false);
        this.source = source;
        this.findings = findings;
        this.last = new Location(source, 1, 1);
        this.parser = new ParserImpl(new StreamReader(text), options);
    }

    /**
     * Reads a document. An empty one is an empty mapping.
     *
     * @return null when it is not well-formed, which has then been reported
     */
    static @Nullable ConfigNode read(String source, String text, Findings findings) {
        if (text.length() > MAX_CHARACTERS) {
            findings.problem(new Location(source, 1, 1), "", "too large", "at most " + MAX_CHARACTERS + " characters");
            return null;
        }
        ConfigNode json = JsonReader.read(source, text);
        if (json != null) {
            return json;
        }
        YamlReader reader = new YamlReader(source, text.startsWith("\uFEFF") ? text.substring(1) : text, findings);
        try {
            return reader.document();
        } catch (MarkedYAMLException e) {
            YamlErrorText fault = YamlErrorText.of(e, text);
            findings.problem(new Location(source, fault.line(), fault.column()), "", fault.message(), fault.expected());
        } catch (ReaderException e) {
            findings.problem(
                    locate(source, text, e.getPosition()),
                    "",
                    "not well-formed YAML: an invalid character",
                    "printable characters");
        } catch (Unreadable e) {
            findings.problem(e.at, e.pointer, e.problem, e.expected);
        }
        return null;
    }

    private static Location locate(String source, String text, int codePoint) {
        int end = text.offsetByCodePoints(0, Math.min(codePoint, text.codePointCount(0, text.length())));
        int line =
                1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        int begin = text.lastIndexOf('\n', end - 1) + 1;
        return new Location(source, line, text.codePointCount(begin, end) + 1);
    }

    private ConfigNode document() {
        next(); // the stream begins
        if (peek() instanceof StreamEndEvent) {
            return ConfigNode.Mapping.empty(new Location(source, 1, 1));
        }
        next(); // the document begins
        ConfigNode root = node("", 0);
        next(); // the document ends
        Event next = next();
        if (!(next instanceof StreamEndEvent)) {
            throw new Unreadable(at(next.getStartMark()), "", "a second document", "one document");
        }
        return root.isNull() ? ConfigNode.Mapping.empty(root.at()) : root;
    }

    private Event peek() {
        try {
            return parser.peekEvent();
        } catch (MarkedYAMLException | ReaderException e) {
            throw e;
        } catch (YAMLException e) {
            throw new Unreadable(last, "", "not well-formed YAML after this place", "");
        }
    }

    private Event next() {
        Event event = peek();
        last = at(event.getStartMark());
        return parser.getEvent();
    }

    private ConfigNode node(String pointer, int depth) {
        Event event = next();
        Location at = at(event.getStartMark());
        if (depth > MAX_DEPTH) {
            throw new Unreadable(at, pointer, "nested too deeply", "at most " + MAX_DEPTH + " levels");
        }
        int before = count(at, pointer, 1);
        if (event instanceof AliasEvent alias) {
            return resolve(alias.getAnchor(), at, pointer);
        }
        String anchor = ((NodeEvent) event).getAnchor();
        if (anchor != null) {
            anchors.put(anchor, null); // Not yet usable: an alias inside its own anchor is refused.
        }
        ConfigNode node = switch (event.getEventId()) {
            case Scalar -> scalar((ScalarEvent) event, at, pointer);
            case SequenceStart -> sequence((SequenceStartEvent) event, at, pointer, depth);
            case MappingStart -> mapping((MappingStartEvent) event, at, pointer, depth);
            default -> throw new IllegalStateException("unexpected " + event);
        };
        if (anchor != null) {
            anchors.put(anchor, node);
            sizes.put(node, nodes - before);
        }
        return node;
    }

    /** Counts nodes, those behind aliases each time: otherwise a few lines could describe billions. */
    private int count(Location at, String pointer, int more) {
        int before = nodes;
        nodes += more;
        if (nodes > MAX_NODES) {
            throw new Unreadable(
                    at, pointer, "too many values", "at most " + MAX_NODES + ", aliases counted each time");
        }
        return before;
    }

    private ConfigNode resolve(String anchor, Location at, String pointer) {
        ConfigNode node = anchors.get(anchor);
        if (node == null) {
            boolean open = anchors.containsKey(anchor);
            throw new Unreadable(
                    at,
                    pointer,
                    open ? "an alias inside its own anchor" : "an alias without an anchor",
                    "an anchor that is complete before the alias");
        }
        count(at, pointer, sizes.getOrDefault(node, 1));
        return node;
    }

    private ConfigNode scalar(ScalarEvent event, Location at, String pointer) {
        String tag = event.getTag();
        if (tag != null && !tag.equals("!") && !tag.equals("tag:yaml.org,2002:str")) {
            refuseTag(at, pointer);
        }
        ConfigNode.Type type =
                tag == null && event.isPlain() ? ConfigNode.Type.ofPlain(event.getValue()) : ConfigNode.Type.STRING;
        return new ConfigNode.Scalar(at, event.getValue(), type);
    }

    private ConfigNode sequence(SequenceStartEvent event, Location at, String pointer, int depth) {
        if (event.getTag() != null) {
            refuseTag(at, pointer);
        }
        List<ConfigNode> items = new ArrayList<>();
        while (!(peek() instanceof SequenceEndEvent)) {
            items.add(node(Pointers.child(pointer, items.size()), depth + 1));
        }
        next();
        return new ConfigNode.Sequence(at, List.copyOf(items));
    }

    private ConfigNode mapping(MappingStartEvent event, Location at, String pointer, int depth) {
        if (event.getTag() != null) {
            refuseTag(at, pointer);
        }
        Map<String, ConfigNode.Entry> entries = new LinkedHashMap<>();
        ConfigNode merged = null;
        while (!(peek() instanceof MappingEndEvent)) {
            Location keyAt = at(peek().getStartMark());
            boolean merges = isMergeKey(peek());
            String key = key(node(pointer, depth + 1), pointer);
            String child = Pointers.child(pointer, key);
            if (merges) {
                if (merged != null) {
                    findings.problem(keyAt, child, "duplicate key", "one with a list: <<: [*first, *second]");
                }
                merged = node(child, depth + 1);
                continue;
            }
            ConfigNode.Entry previous = entries.putIfAbsent(key, new ConfigNode.Entry(keyAt, node(child, depth + 1)));
            if (previous != null) {
                findings.problem(
                        keyAt,
                        child,
                        "duplicate key, first set at line " + previous.keyAt().line(),
                        "each key once");
            }
        }
        next();
        if (merged != null) {
            merge(merged, entries, Pointers.child(pointer, MERGE_KEY));
        }
        return new ConfigNode.Mapping(at, entries);
    }

    /** A merge key of YAML 1.1 ({@code <<} without quotes), which is in wide use with 1.2, too. */
    private static boolean isMergeKey(Event event) {
        return event instanceof ScalarEvent key
                && key.getTag() == null
                && key.isPlain()
                && key.getValue().equals(MERGE_KEY);
    }

    /** Adds the entries of a mapping, or of several, that are not there yet; they keep their places. */
    private void merge(ConfigNode from, Map<String, ConfigNode.Entry> entries, String pointer) {
        if (from instanceof ConfigNode.Mapping mapping) {
            mapping.entries().forEach(entries::putIfAbsent);
        } else if (from instanceof ConfigNode.Sequence several
                && several.items().stream().allMatch(item -> item instanceof ConfigNode.Mapping)) {
            several.items().forEach(item -> merge(item, entries, pointer));
        } else {
            findings.problem(
                    from.at(), pointer, "wrong type: " + from.description(), "a mapping, or a list of mappings");
        }
    }

    private String key(ConfigNode key, String pointer) {
        if (!(key instanceof ConfigNode.Scalar scalar)) {
            throw new Unreadable(key.at(), pointer, key.description() + " as a key", "a string");
        }
        return scalar.text();
    }

    private void refuseTag(Location at, String pointer) {
        findings.problem(at, pointer, "tags are not supported", "the value without a tag");
    }

    private Location at(Mark mark) {
        return new Location(source, mark.getLine() + 1, mark.getColumn() + 1);
    }

    /** Ends the reading of a document that cannot be continued. */
    private static final class Unreadable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Location at;
        private final String pointer;
        private final String problem;
        private final String expected;

        Unreadable(Location at, String pointer, String problem, String expected) {
            super(problem, null, false, false);
            this.at = at;
            this.pointer = pointer;
            this.problem = problem;
            this.expected = expected;
        }
    }
}
