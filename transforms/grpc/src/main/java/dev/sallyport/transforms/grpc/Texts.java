package dev.sallyport.transforms.grpc;

/** Prepares texts of a server for an audit record. */
final class Texts {

    private Texts() {}

    /** The first characters; never splits a surrogate pair. */
    static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }
}
