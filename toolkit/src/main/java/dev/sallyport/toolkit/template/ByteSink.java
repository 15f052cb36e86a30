package dev.sallyport.toolkit.template;

/** Takes the bytes of a rendering, such as {@code mac::update}. */
@FunctionalInterface
public interface ByteSink {

    /** Takes a piece; the array belongs to the caller and must neither be kept nor changed. */
    void write(byte[] bytes, int offset, int length);

    /** Takes all of an array. */
    default void write(byte[] bytes) {
        write(bytes, 0, bytes.length);
    }
}
