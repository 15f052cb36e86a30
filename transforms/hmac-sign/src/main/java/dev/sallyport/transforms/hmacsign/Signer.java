package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.toolkit.secret.DerivedValue;
import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import dev.sallyport.toolkit.template.TemplateValues;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A compiled configuration: makes the headers of one request. Thread-safe. */
final class Signer {

    private final HmacSignConfig config;
    private final Templates templates;
    private final Template message;
    private final List<SignedHeader> headers = new ArrayList<>();
    private final Secret secret;
    private final Map<String, ShownCredential> credentials = new LinkedHashMap<>();
    private final DerivedValue<Key> key;

    /** @param key null when the value is not written as configured */
    private record Key(@Nullable SecretKeySpec key) {

        @Override
        public String toString() {
            return "Key[]";
        }
    }

    private Signer(HmacSignConfig config, BuildContext context) throws ConfigException {
        this.config = config;
        templates = new Templates(config.shown().keySet());
        message = compile(
                "/signature/message", () -> templates.message(config.signature().message()));
        secret = context.secret(Objects.requireNonNull(config.credentials().get(HmacSignConfig.SECRET), "validated"));
        Predicate<Destination> reach = context.rules(config.rules())::reaches;
        key = new DerivedValue<>(context, this::derive, secret);
        for (Map.Entry<String, SecretRef> shown : config.shown().entrySet()) {
            String name = shown.getKey();
            credentials.put(
                    name,
                    new ShownCredential(
                            name, context.secret(shown.getValue()), config.redactResponse(), reach, context));
        }
        for (int i = 0; i < config.headers().size(); i++) {
            HmacSignConfig.Header header = config.headers().get(i);
            Template value = compile("/headers/" + i + "/value", () -> templates.header(header.value()));
            headers.add(new SignedHeader(header.name(), value, credentials, reach));
        }
    }

    static Signer of(HmacSignConfig config, BuildContext context) throws ConfigException {
        Signer signer = new Signer(config, context);
        if (signer.available() && signer.key() == null) {
            KeyEncoding encoding = config.signature().keyEncoding();
            throw new ConfigException(
                    "/credentials/" + HmacSignConfig.SECRET,
                    "the value is not a key in the encoding " + encoding.name().toLowerCase(Locale.ROOT),
                    encoding.expected());
        }
        return signer;
    }

    private interface Compilation {
        Template compile() throws TemplateException;
    }

    private static Template compile(String pointer, Compilation compilation) throws ConfigException {
        try {
            return compilation.compile();
        } catch (TemplateException e) {
            throw e.at(pointer);
        }
    }

    /** Whether the message needs the body. */
    boolean signsBody() {
        return message.uses(Templates.BODY);
    }

    /** Whether every credential has a value. */
    boolean available() {
        return secret.available()
                && credentials.values().stream()
                        .allMatch(shown -> shown.secret().available());
    }

    /** The key of the secret's current value, or null when that is not written as configured, or was deleted. */
    @Nullable SecretKeySpec key() {
        Key current = key.current();
        return current == null ? null : current.key();
    }

    private Key derive() {
        HmacSignConfig.Signature how = config.signature();
        byte[] bytes = how.keyEncoding().decode(secret.value());
        return new Key(bytes == null ? null : how.algorithm().key(bytes));
    }

    /**
     * The headers of a request, or null when a credential cannot be the value of one.
     *
     * @param body as forwarded; empty where the message does not use it
     */
    @Nullable Edits sign(RequestContext context, SecretKeySpec with, Instant now, byte[] body) {
        String timestamp = config.timestamp().format().format(now);
        Mac mac = config.signature().algorithm().begin(with);
        message.render(facts(context, timestamp, body), mac::update);
        String signature = config.signature().outputEncoding().encode(mac.doFinal());
        TemplateValues values =
                templates.header().values().set(Templates.TIMESTAMP, timestamp).set(Templates.SIGNATURE, signature);
        addCredentials(values);
        Edits.Builder edits = Edits.builder().sensitive().overPlaintext(config.allowPlaintext());
        for (ShownCredential shown : credentials.values()) {
            Credential current = shown.current();
            if (current == null) {
                return null;
            }
            edits.credential(current);
        }
        edits.credential(Credential.of("signature", signature)
                .redact(config.redactResponse())
                .forOneExchange());
        for (SignedHeader header : headers) {
            byte[] bytes = header.render(values);
            if (breaksLine(bytes)) {
                return null;
            }
            header.tell(values, bytes, timestamp, signature, config.redactResponse(), edits);
            edits.setHeader(header.name(), new String(bytes, StandardCharsets.ISO_8859_1));
        }
        return edits.build();
    }

    private TemplateValues facts(RequestContext context, String timestamp, byte[] body) {
        RequestHead head = context.head();
        TemplateValues values = templates
                .message()
                .values()
                .set(Templates.TIMESTAMP, timestamp)
                .set(Templates.METHOD, head.method())
                .set(Templates.PATH, head.decodedPath())
                .set(Templates.PATH_WITH_QUERY, head.target().getBytes(StandardCharsets.ISO_8859_1))
                .set(Templates.QUERY, head.query().getBytes(StandardCharsets.ISO_8859_1))
                .set(Templates.HOST, context.destination().host())
                .set(Templates.BODY, body);
        addCredentials(values);
        return values;
    }

    private void addCredentials(TemplateValues values) {
        credentials.forEach((name, credential) -> values.set(
                Templates.CREDENTIALS, name, credential.secret().value().bytes()));
    }

    private static boolean breaksLine(byte[] value) {
        for (byte b : value) {
            if (b == '\r' || b == '\n' || b == 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "Signer[" + headers.size() + " headers]";
    }
}
