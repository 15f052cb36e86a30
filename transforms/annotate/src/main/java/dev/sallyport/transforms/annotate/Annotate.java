package dev.sallyport.transforms.annotate;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Trace;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records headers of matching requests; allocates nothing for other requests. */
final class Annotate implements InlineTransform {

    /** The most characters of a value that are recorded; each is one byte on the wire. */
    static final int MAX_VALUE = 4096;

    private static final String TRUNCATED = "truncated";

    private record Field(String name, String key) {

        static Field of(String name) {
            String canonical = HeaderNames.canonical(name);
            return new Field(canonical, "header:" + canonical);
        }
    }

    private record Entry(RuleSet rules, Field[] fields) {}

    private final Entry[] entries;

    private Annotate(Entry[] entries) {
        this.entries = entries;
    }

    /** Compiles rules, as {@link dev.sallyport.spi.BuildContext#rules} does. */
    interface Compiler {
        RuleSet rules(List<Rule> rules) throws ConfigException;
    }

    static Annotate of(List<AnnotateConfig.Annotation> annotations, Compiler compiler) throws ConfigException {
        Entry[] entries = new Entry[annotations.size()];
        for (int i = 0; i < entries.length; i++) {
            AnnotateConfig.Annotation annotation = annotations.get(i);
            Field[] fields = annotation.headers().stream().map(Field::of).toArray(Field[]::new);
            entries[i] = new Entry(compiler.rules(annotation.rules()), fields);
        }
        return new Annotate(entries);
    }

    @Override
    public Decision decide(RequestContext context) {
        List<String> cut = null;
        for (Entry entry : entries) {
            if (entry.rules().match(context) != RuleSet.NO_MATCH) {
                cut = note(entry.fields(), context.head().headers(), context.trace(), cut);
            }
        }
        if (cut != null) {
            context.trace().annotate(TRUNCATED, cut);
        }
        return Decision.proceed();
    }

    /** Records the headers that are present. Returns the keys of all values cut so far, or null when none was. */
    private static @Nullable List<String> note(
            Field[] fields, Headers headers, Trace trace, @Nullable List<String> before) {
        List<String> cut = before;
        for (Field field : fields) {
            List<String> values = headers.all(field.name());
            if (values.isEmpty()) {
                continue;
            }
            boolean shortened = false;
            List<String> noted = new ArrayList<>(values.size());
            for (String value : values) {
                shortened |= value.length() > MAX_VALUE;
                noted.add(value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value);
            }
            trace.annotate(field.key(), noted.size() == 1 ? noted.getFirst() : noted);
            if (shortened) {
                cut = cut == null ? new ArrayList<>(2) : cut;
                if (!cut.contains(field.key())) {
                    cut.add(field.key());
                }
            }
        }
        return cut;
    }
}
