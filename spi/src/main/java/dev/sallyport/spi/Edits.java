package dev.sallyport.spi;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** An ordered list of changes. Immutable. */
public final class Edits {

    private static final Edits NONE = new Edits(List.of(), new BitSet(), List.of());

    private final List<Edit> list;
    private final BitSet overPlaintext;
    private final List<Credential> credentials;

    private Edits(List<Edit> list, BitSet overPlaintext, List<Credential> credentials) {
        this.list = list;
        this.overPlaintext = overPlaintext;
        this.credentials = credentials;
    }

    /** No changes. */
    public static Edits none() {
        return NONE;
    }

    /** Starts a list. */
    public static Builder builder() {
        return new Builder();
    }

    /** The changes in order. */
    public List<Edit> list() {
        return list;
    }

    /**
     * Whether the change at this position may be sent to any address without TLS; see {@link Builder#overPlaintext}.
     */
    public boolean overPlaintext(int index) {
        return overPlaintext.get(index);
    }

    /** The credentials in sensitive edits. If none are declared, the engine derives them from what the edits write. */
    public List<Credential> credentials() {
        return credentials;
    }

    /** Whether there are no changes, and no credentials to search for. */
    public boolean isEmpty() {
        return list.isEmpty() && credentials.isEmpty();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Edits[");
        for (int i = 0; i < list.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(list.get(i).getClass().getSimpleName());
        }
        return text.append(']').toString();
    }

    /** Collects changes. Not thread-safe. */
    public static final class Builder {

        private final List<Edit> edits = new ArrayList<>(4);
        private final BitSet clear = new BitSet(0);
        private List<Credential> credentials = List.of();
        private boolean sensitive;
        private boolean overPlaintext;

        private Builder() {}

        /** Marks the changes added after this call as carrying secrets. */
        public Builder sensitive() {
            sensitive = true;
            return this;
        }

        /**
         * Declares whether the changes added after this call may be sent to any address without TLS, because the
         * operator allows it. A request with any other sensitive change, or signature, is refused where the connection
         * to the origin has no TLS and its address is not a loopback, private or link-local one.
         */
        public Builder overPlaintext(boolean allowed) {
            overPlaintext = allowed;
            return this;
        }

        /**
         * Declares the secrets in the sensitive changes, or those that a change of the body may insert: each of them,
         * in each written form that is not one of the usual encodings. On an empty list, the value is searched for in
         * responses although it was not sent. Without a declaration, the whole of each sensitive field is secret, and
         * so are its parts.
         */
        public Builder credential(Credential secret) {
            if (credentials.isEmpty()) {
                credentials = new ArrayList<>(2);
            }
            credentials.add(Objects.requireNonNull(secret, "secret"));
            return this;
        }

        /** @see Edit.SetHeader */
        public Builder setHeader(String name, String... values) {
            return add(new Edit.SetHeader(requireName(name), List.of(values), sensitive));
        }

        /** @see Edit.SetHeaderValue */
        public Builder setHeaderValue(String name, int occurrence, String value) {
            return add(new Edit.SetHeaderValue(requireName(name), occurrence, value, sensitive));
        }

        /** @see Edit.AddHeader */
        public Builder addHeader(String name, String value) {
            return add(new Edit.AddHeader(requireName(name), value, sensitive));
        }

        /** @see Edit.RemoveHeader */
        public Builder removeHeader(String name) {
            return add(new Edit.RemoveHeader(requireName(name)));
        }

        /** @see Edit.SetMethod */
        public Builder setMethod(String method) {
            return add(new Edit.SetMethod(method));
        }

        /** @see Edit.SetPath */
        public Builder setPath(String path) {
            return add(new Edit.SetPath(path, sensitive));
        }

        /** @see Edit.SetQuery */
        public Builder setQuery(String query) {
            return add(new Edit.SetQuery(query, sensitive));
        }

        /** @see Edit.SetStatus */
        public Builder setStatus(int status, String reason) {
            return add(new Edit.SetStatus(status, reason));
        }

        /** @see Edit.ReplaceBody */
        public Builder replaceBody(byte[] body) {
            return add(new Edit.ReplaceBody(body, sensitive));
        }

        /** @see Edit.RewriteBody */
        public Builder rewriteBody(BodyRewriter rewriter) {
            return add(new Edit.RewriteBody(rewriter, true, sensitive));
        }

        /** As {@link #rewriteBody}, on the bytes as they are on the wire. */
        public Builder rewriteRawBody(BodyRewriter rewriter) {
            return add(new Edit.RewriteBody(rewriter, false, sensitive));
        }

        /** @see Edit.ObserveBody */
        public Builder observeBody(BodyObserver observer) {
            return add(new Edit.ObserveBody(observer, true));
        }

        /**
         * Checks the body before it is forwarded unchanged. Needs the body declared as read; a transform that is an
         * {@linkplain Capabilities.Builder#observer() observer} cannot.
         *
         * @see Edit.CheckBody
         */
        public Builder checkBody(BodyCheck check) {
            return add(new Edit.CheckBody(check, true));
        }

        /** As {@link #checkBody}, on the bytes as they are on the wire. */
        public Builder checkRawBody(BodyCheck check) {
            return add(new Edit.CheckBody(check, false));
        }

        /** @see Edit.EditTrailers */
        public Builder editTrailers(TrailerEditor editor) {
            return add(new Edit.EditTrailers(editor, sensitive));
        }

        /** @see Edit.RewriteMessages */
        public Builder rewriteMessages(Direction direction, Supplier<BodyRewriter> rewriters) {
            return add(new Edit.RewriteMessages(direction, rewriters, null, sensitive));
        }

        /** @see Edit.RewriteMessages */
        public Builder rewriteMessages(
                Direction direction, Supplier<BodyRewriter> rewriters, Supplier<BodyRewriter> others) {
            return add(new Edit.RewriteMessages(direction, rewriters, others, sensitive));
        }

        /** Adds the changes of another list, each as sensitive as it is there. */
        public Builder addAll(Edits others) {
            for (int i = 0; i < others.list.size(); i++) {
                clear.set(edits.size(), others.overPlaintext(i));
                edits.add(others.list.get(i));
            }
            others.credentials.forEach(this::credential);
            return this;
        }

        /** Whether nothing has been added. */
        public boolean isEmpty() {
            return edits.isEmpty() && credentials.isEmpty();
        }

        /** The list as it stands. */
        public Edits build() {
            return isEmpty() ? NONE : new Edits(List.copyOf(edits), (BitSet) clear.clone(), List.copyOf(credentials));
        }

        private Builder add(Edit edit) {
            clear.set(edits.size(), overPlaintext);
            edits.add(edit);
            return this;
        }

        private static String requireName(String name) {
            if (Objects.requireNonNull(name, "name").isEmpty()) {
                throw new IllegalArgumentException("header name: empty (expected: a field name)");
            }
            return name;
        }
    }
}
