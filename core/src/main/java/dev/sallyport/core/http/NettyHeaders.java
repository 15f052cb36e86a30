package dev.sallyport.core.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The view of field lines that Netty's decoders and encoders expect, implemented by {@link HeaderBlock}. */
abstract class NettyHeaders extends HttpHeaders {

    abstract String name(int index);

    abstract String value(int index);

    abstract @Nullable String first(String name);

    abstract List<String> all(String name);

    abstract int indexOf(String name, int from);

    abstract HeaderBlock append(String name, String value);

    abstract boolean removeAll(String name);

    abstract void replace(String name, List<String> values);

    @Override
    public @Nullable String get(String name) {
        return first(name);
    }

    @Override
    public List<String> getAll(String name) {
        return all(name);
    }

    /**
     * The decoders call this for each message, for the transfer coding; Netty's own version would gather all values
     * first.
     */
    @Override
    public boolean containsValue(CharSequence name, CharSequence value, boolean ignoreCase) {
        String wanted = name.toString();
        return indexOf(wanted, 0) >= 0 && super.containsValue(wanted, value, ignoreCase);
    }

    @Override
    public @Nullable Integer getInt(CharSequence name) {
        String value = first(name.toString());
        return value == null ? null : Integer.valueOf(value.trim());
    }

    @Override
    public int getInt(CharSequence name, int defaultValue) {
        Integer value = getInt(name);
        return value == null ? defaultValue : value;
    }

    @Override
    public @Nullable Short getShort(CharSequence name) {
        String value = first(name.toString());
        return value == null ? null : Short.valueOf(value.trim());
    }

    @Override
    public short getShort(CharSequence name, short defaultValue) {
        Short value = getShort(name);
        return value == null ? defaultValue : value;
    }

    @Override
    public @Nullable Long getTimeMillis(CharSequence name) {
        return null;
    }

    @Override
    public long getTimeMillis(CharSequence name, long defaultValue) {
        return defaultValue;
    }

    @Override
    public List<Map.Entry<String, String>> entries() {
        List<Map.Entry<String, String>> entries = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            entries.add(Map.entry(name(i), value(i)));
        }
        return entries;
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester")
    public Iterator<Map.Entry<String, String>> iterator() {
        return entries().iterator();
    }

    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iteratorCharSequence() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < size();
            }

            @Override
            public Map.Entry<CharSequence, CharSequence> next() {
                if (next >= size()) {
                    throw new NoSuchElementException();
                }
                int at = next++;
                return new AbstractMap.SimpleImmutableEntry<>(name(at), value(at));
            }
        };
    }

    @Override
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (int i = 0; i < size(); i++) {
            names.add(name(i));
        }
        return names;
    }

    @Override
    public HttpHeaders add(String name, Object value) {
        return append(name, value.toString());
    }

    @Override
    public HttpHeaders add(String name, Iterable<?> values) {
        for (Object value : values) {
            append(name, value.toString());
        }
        return this;
    }

    @Override
    public HttpHeaders addInt(CharSequence name, int value) {
        return append(name.toString(), Integer.toString(value));
    }

    @Override
    public HttpHeaders addShort(CharSequence name, short value) {
        return append(name.toString(), Short.toString(value));
    }

    @Override
    public HttpHeaders set(String name, Object value) {
        replace(name, List.of(value.toString()));
        return this;
    }

    @Override
    public HttpHeaders set(String name, Iterable<?> values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(value.toString());
        }
        replace(name, texts);
        return this;
    }

    @Override
    public HttpHeaders setInt(CharSequence name, int value) {
        return set(name.toString(), Integer.toString(value));
    }

    @Override
    public HttpHeaders setShort(CharSequence name, short value) {
        return set(name.toString(), Short.toString(value));
    }

    @Override
    public HttpHeaders remove(String name) {
        removeAll(name);
        return this;
    }
}
