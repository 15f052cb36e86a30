package dev.sallyport.mcp.json;

/** A text that is not JSON, or JSON that two readers could understand differently. */
public final class JsonSyntaxException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int offset;

    JsonSyntaxException(String fault, int offset) {
        super(fault + " at byte " + offset, null, false, false);
        this.offset = offset;
    }

    /** The offset of the fault, in bytes. The message contains it, and nothing of the text. */
    public int offset() {
        return offset;
    }
}
