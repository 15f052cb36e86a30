package dev.sallyport.control.model;

/** How much JSON there is in a text. */
public final class JsonSize {

    private JsonSize() {}

    /**
     * How many values and keys a text has beside its first one: each comes after one of four characters outside of strings.
     * For whole values and for pieces that cut no string.
     */
    public static int nodes(String json) {
        int nodes = 0;
        boolean quoted = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted) {
                i += c == '\\' ? 1 : 0;
            } else if (c == ',' || c == ':' || c == '[' || c == '{') {
                nodes++;
            }
        }
        return nodes;
    }
}
