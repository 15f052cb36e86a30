package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;

/** The way in which the content of a request is signed. */
sealed interface Payload {

    /** It cannot be signed. */
    record Refused(Decision decision) implements Payload {}

    /**
     * By a hash of the whole content.
     *
     * @param sent whether the hash is sent as well
     */
    record Computed(boolean sent) implements Payload {

        /** The signed form with this hash. */
        Fixed as(String hash) {
            return new Fixed(hash, sent);
        }
    }

    /** By something that is known before the content has been seen. */
    sealed interface Known extends Payload {

        /** The text that is signed in place of the content: its hash, or a marker. */
        String hash();
    }

    /**
     * The content is not examined.
     *
     * @param sent whether the hash is put into the head
     */
    record Fixed(String hash, boolean sent) implements Known {}

    /** The client declared the hash, and the content must have it. */
    record Verified(String hash) implements Known {}

    /**
     * In chunks that are framed within the content.
     *
     * @param hash the marker for this form
     * @param signed whether each chunk has a signature
     * @param trailer whether header fields follow the chunks
     */
    record AwsChunked(String hash, boolean signed, boolean trailer) implements Known {}
}
