package dev.sallyport.mcp.json;

/** A text that is no JSON, or JSON that two readers could understand in two ways. */
public final class JsonSyntaxException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int offset;

    JsonSyntaxException(String fault, int offset) {
        super(fault + " at byte " + offset, null, false, false);
        this.offset = offset;
    }

    /** Where the fault is, in bytes. The message says it too, and holds nothing of the text. */
    public int offset() {
        return offset;
    }
}
