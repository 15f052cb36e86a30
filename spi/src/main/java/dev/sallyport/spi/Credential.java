package dev.sallyport.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The secret in an edit: the engine removes it from what the origin sends back, in every encoding that it knows.
 * Immutable; credentials with the same content are equal. Prints as {@code ***}.
 *
 * <p>A transform keeps one object for each value and passes it with every request, which then costs nothing. The engine
 * does not search for a value of less than {@value #MIN_LENGTH} bytes, which would match unrelated text.
 */
public final class Credential {

    /** The shortest value that is searched for, in bytes. */
    public static final int MIN_LENGTH = 8;

    /** The replacement for a value that has no placeholder. */
    public static final String MARKER = "SALLYPORT_REDACTED";

    private static final Predicate<Destination> NOWHERE = Set.<Destination>of()::contains;

    private static final byte[] MARKER_BYTES = MARKER.getBytes(StandardCharsets.US_ASCII);

    private final String name;
    private final String place;
    private final byte[] value;
    private final byte[] placeholder;
    private final @Nullable RedactResponse when;
    private final boolean lasting;
    private final boolean inContent;
    private final Predicate<Destination> reach;
    private final int hash;

    private Credential(
            String name,
            String place,
            byte[] value,
            byte[] placeholder,
            @Nullable RedactResponse when,
            boolean lasting,
            boolean inContent,
            Predicate<Destination> reach) {
        this.name = Objects.requireNonNull(name, "name");
        this.place = Objects.requireNonNull(place, "place");
        this.value = value;
        this.placeholder = placeholder;
        this.when = when;
        this.lasting = lasting;
        this.inContent = inContent;
        this.reach = Objects.requireNonNull(reach, "reach");
        this.hash = (31 * Arrays.hashCode(value) + Arrays.hashCode(placeholder)) * 31 + name.hashCode();
    }

    /**
     * A lasting value, searched for as the proxy's configuration says.
     *
     * @param name the source's name for it, as audit records show it
     * @param value copied
     */
    public static Credential of(String name, byte[] value) {
        return new Credential(name, "", value.clone(), MARKER_BYTES, null, true, true, NOWHERE);
    }

    /** As {@link #of(String, byte[])}; each character is one byte. */
    public static Credential of(String name, String latin1) {
        return new Credential(
                name, "", latin1.getBytes(StandardCharsets.ISO_8859_1), MARKER_BYTES, null, true, true, NOWHERE);
    }

    /** The same, with the replacement that is written where the value is found. Copied. */
    public Credential placeholder(byte[] text) {
        return new Credential(name, place, value, text.clone(), when, lasting, inContent, reach);
    }

    /** The same, searched for as an entry of the configuration says; null: as the proxy's configuration says. */
    public Credential redact(@Nullable RedactResponse responses) {
        return new Credential(name, place, value, placeholder, responses, lasting, inContent, reach);
    }

    /**
     * The same, from this entry of the configuration, such as {@code headers.X-Key}. A later value with the same name
     * and place supersedes the earlier one.
     */
    public Credential from(String entry) {
        return new Credential(name, entry, value, placeholder, when, lasting, inContent, reach);
    }

    /** The same, made for one exchange, such as a signature: only the response to that exchange is searched. */
    public Credential forOneExchange() {
        return new Credential(name, place, value, placeholder, when, false, inContent, reach);
    }

    /**
     * The same, not searched for in the content of successful responses, which may then be requested in ranges: for an
     * origin that stores data and does not echo requests. Fields, trailers and unsuccessful responses are searched.
     */
    public Credential outsideOfContent() {
        return new Credential(name, place, value, placeholder, when, lasting, false, reach);
    }

    /**
     * The same, which may be sent to these destinations: once a workload has sent it anywhere, what comes from all of them
     * is searched. Thread-safe, fast and the same object for each value of one entry; not a part of what makes
     * credentials equal. Without it, the value is searched for where it was sent to.
     */
    public Credential within(Predicate<Destination> destinations) {
        return new Credential(name, place, value, placeholder, when, lasting, inContent, destinations);
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

    /** A copy of the replacement. */
    public byte[] placeholder() {
        return placeholder.clone();
    }

    /** Whether the {@link #MARKER} replaces it, since there is no placeholder. */
    public boolean isMarked() {
        return Arrays.equals(placeholder, MARKER_BYTES);
    }

    /** The responses to search; null for what the proxy's configuration says. */
    public @Nullable RedactResponse when() {
        return when;
    }

    /** The destinations to which it may be sent, as far as that is known. */
    public Predicate<Destination> reach() {
        return reach;
    }

    /** Whether it is used again. */
    public boolean lasting() {
        return lasting;
    }

    /** Whether the content of successful responses is searched. */
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
