package dev.sallyport.core.net.request;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The readable parts of a malformed request. Used for the audit record only.
 *
 * @param method as it was sent
 * @param target path and query, an absolute form, or the authority of a CONNECT; as it was sent
 * @param authority what {@code Host} or {@code :authority} says, or null
 */
public record PartialRequest(
        String method, String target, @Nullable String authority) {

    public static final PartialRequest NONE = new PartialRequest("", "", null);

    /** How much of a head is searched. */
    private static final int MOST = 16 * 1024;

    private static final Pattern REQUEST_LINE =
            Pattern.compile("\\A([!#$%&'*+.^_`|~0-9A-Za-z-]{1,24})[ \\t]+([^\\s\\p{Cntrl}]+)");
    private static final Pattern HOST =
            Pattern.compile("^host[ \\t]*:[ \\t]*([^\\s\\p{Cntrl}]+)", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
    private static final Pattern ABSOLUTE =
            Pattern.compile("\\Ahttps?://([^/?#]*)(.*)\\z", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Reads the beginning of a head that has not been decoded, without consuming it. */
    public static PartialRequest of(ByteBuf in) {
        String text = text(in);
        Matcher line = REQUEST_LINE.matcher(text);
        return line.find() ? new PartialRequest(line.group(1), line.group(2), host(text)) : NONE;
    }

    /** As this, with the {@code Host} that follows there, if it has none. */
    public PartialRequest with(ByteBuf rest) {
        return authority != null ? this : new PartialRequest(method, target, host(text(rest)));
    }

    private static String text(ByteBuf in) {
        return in.toString(in.readerIndex(), Math.min(in.readableBytes(), MOST), StandardCharsets.ISO_8859_1);
    }

    private static @Nullable String host(String text) {
        Matcher host = HOST.matcher(text);
        return host.find() ? host.group(1) : null;
    }

    /** The refusal of this request; nothing that follows on its connection can be parsed. */
    public DecodedRequest refused(Ingress ingress, Refusal refusal) {
        return DecodedRequest.malformed(refusal, head(), destination(ingress));
    }

    /** Method and path; null when not even they could be read. */
    public @Nullable RequestMessage head() {
        if (method.isEmpty()) {
            return null;
        }
        String path = target;
        if (method.equals("CONNECT")) {
            path = "";
        } else {
            Matcher absolute = ABSOLUTE.matcher(target);
            path = absolute.find() ? absolute.group(2) : path;
        }
        int question = path.indexOf('?');
        return question < 0
                ? new RequestMessage(method, path, null, new HeaderBlock(1), 0)
                : new RequestMessage(
                        method, path.substring(0, question), path.substring(question + 1), new HeaderBlock(1), 0);
    }

    /** The intended destination, as far as the request names it. */
    public @Nullable Destination destination(Ingress ingress) {
        Matcher absolute = ABSOLUTE.matcher(target);
        boolean stated = absolute.find();
        String named = stated ? absolute.group(1) : method.equals("CONNECT") ? target : authority;
        if (named == null) {
            return of(ingress);
        }
        boolean secure = stated
                ? target.toLowerCase(Locale.ROOT).startsWith("https")
                : ingress.secure() || method.equals("CONNECT");
        try {
            Destination destination = Destinations.fromAuthority(named, secure ? 443 : 80, secure);
            int pinned = ingress.pinnedPort();
            return pinned == 0 ? destination : Destinations.parse(destination.host(), pinned, secure);
        } catch (InvalidHostException e) {
            return of(ingress); // it names nothing that could be one
        }
    }

    /** The destination that the connection implies before anything is sent on it. */
    private static @Nullable Destination of(Ingress ingress) {
        if (ingress.tunnel() != null) {
            return ingress.tunnel();
        }
        String sni = ingress.sni();
        if (sni == null) {
            return ingress.original();
        }
        try {
            int pinned = ingress.pinnedPort();
            return Destinations.parse(sni, pinned == 0 ? 443 : pinned, true);
        } catch (InvalidHostException e) {
            return ingress.original();
        }
    }
}
