package dev.sallyport.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is secret in an edit: the engine takes it out of what the origin sends back, in every encoding that it knows.
 * Immutable; two of the same content are equal. Prints as {@code ***}.
 *
 * <p>One object for each value is kept by a transform and handed over with every request, which costs nothing then. A
 * value of less than {@value #MIN_LENGTH} bytes would be found where it is not meant, and is not looked for.
 */
public final class Credential {

    /** The shortest value that is looked for, in bytes. */
    public static final int MIN_LENGTH = 8;

    /** What stands for a value that has no placeholder. */
    public static final String MARKER = "SALLYPORT_REDACTED";

    private static final byte[] MARKER_BYTES = MARKER.getBytes(StandardCharsets.US_ASCII);

    private final String name;
    private final String place;
    private final byte[] value;
    private final byte[] placeholder;
    private final @Nullable RedactResponse when;
    private final boolean lasting;
    private final boolean inContent;
    private final int hash;

    private Credential(
            String name,
            String place,
            byte[] value,
            byte[] placeholder,
            @Nullable RedactResponse when,
            boolean lasting,
            boolean inContent) {
        this.name = Objects.requireNonNull(name, "name");
        this.place = Objects.requireNonNull(place, "place");
        this.value = value;
        this.placeholder = placeholder;
        this.when = when;
        this.lasting = lasting;
        this.inContent = inContent;
        this.hash = (31 * Arrays.hashCode(value) + Arrays.hashCode(placeholder)) * 31 + name.hashCode();
    }

    /**
     * A value that lasts, and is looked for as the proxy's configuration says.
     *
     * @param name the source's name for it, as audit records show it
     * @param value copied
     */
    public static Credential of(String name, byte[] value) {
        return new Credential(name, "", value.clone(), MARKER_BYTES, null, true, true);
    }

    /** As {@link #of(String, byte[])}; each character is one byte. */
    public static Credential of(String name, String latin1) {
        return new Credential(name, "", latin1.getBytes(StandardCharsets.ISO_8859_1), MARKER_BYTES, null, true, true);
    }

    /** The same, for which this is written where it is found. Copied. */
    public Credential placeholder(byte[] text) {
        return new Credential(name, place, value, text.clone(), when, lasting, inContent);
    }

    /** The same, looked for as an entry of the configuration says; null: as the proxy's configuration says. */
    public Credential redact(@Nullable RedactResponse responses) {
        return new Credential(name, place, value, placeholder, responses, lasting, inContent);
    }

    /**
     * The same, from this entry of the configuration, such as {@code headers.X-Key}. A later value with the same name
     * and place supersedes the earlier one.
     */
    public Credential from(String entry) {
        return new Credential(name, entry, value, placeholder, when, lasting, inContent);
    }

    /** The same, made for one exchange, such as a signature: it is looked for in the response to that and nowhere else. */
    public Credential forOneExchange() {
        return new Credential(name, place, value, placeholder, when, false, inContent);
    }

    /**
     * The same, not looked for in the content of successful answers, of which parts may then be asked for: of an origin
     * that stores data and does not show requests. Fields, trailers and answers that are no success are looked through.
     */
    public Credential outsideOfContent() {
        return new Credential(name, place, value, placeholder, when, lasting, false);
    }

    /** The source's name. */
    public String name() {
        return name;
    }

    /** See {@link #from}; empty when the name says it all. */
    public String place() {
        return place;
    }

    /** A copy of the value. */
    public byte[] value() {
        return value.clone();
    }

    /** The length of the value in bytes. */
    public int length() {
        return value.length;
    }

    /** A copy of what is written instead. */
    public byte[] placeholder() {
        return placeholder.clone();
    }

    /** Whether the {@link #MARKER} stands for it, since there is no placeholder. */
    public boolean isMarked() {
        return Arrays.equals(placeholder, MARKER_BYTES);
    }

    /** In which responses; null for what the proxy's configuration says. */
    public @Nullable RedactResponse when() {
        return when;
    }

    /** Whether it is used again. */
    public boolean lasting() {
        return lasting;
    }

    /** Whether the content of successful answers is looked through. */
    public boolean inContent() {
        return inContent;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof Credential that
                        && hash == that.hash
                        && name.equals(that.name)
                        && place.equals(that.place)
                        && when == that.when
                        && lasting == that.lasting
                        && inContent == that.inContent
                        && Arrays.equals(value, that.value)
                        && Arrays.equals(placeholder, that.placeholder));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "***";
    }
}
