package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RedactResponse;
import dev.sallyport.toolkit.redact.Rendered;
import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateValues;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A header that is set, and the secret parts of its value. Thread-safe. */
final class SignedHeader {

    private final String name;
    private final Template template;
    private final Predicate<Destination> reach;
    private final Map<String, ShownCredential> shown = new LinkedHashMap<>();

    /**
     * @param credentials all that templates may use
     * @param reach the destinations to which it may be sent
     */
    SignedHeader(
            String name, Template template, Map<String, ShownCredential> credentials, Predicate<Destination> reach) {
        this.reach = reach;
        this.name = name;
        this.template = template;
        credentials.forEach((key, credential) -> {
            if (template.uses(Templates.CREDENTIALS, key)) {
                shown.put(key, credential);
            }
        });
    }

    /** As the operator writes it. */
    String name() {
        return name;
    }

    byte[] render(TemplateValues values) {
        return template.render(values);
    }

    /**
     * Declares what the template has made of a secret, such as its hexadecimal form, where the text does not contain
     * the secret itself.
     *
     * @param values the values with which the text was rendered; unchanged afterwards
     * @param text what was rendered
     */
    void tell(
            TemplateValues values,
            byte[] text,
            String timestamp,
            String signature,
            @Nullable RedactResponse when,
            Edits.Builder edits) {
        String shownText = latin1(text);
        if (template.uses(Templates.SIGNATURE) && !shownText.contains(signature)) {
            byte[] made = latin1(signature);
            byte[] part = Rendered.secretPart(
                    other -> template.render(values.set(Templates.SIGNATURE, latin1(other))), made, text);
            values.set(Templates.SIGNATURE, signature);
            edits.credential(credential("signature", part, when).forOneExchange());
        }
        shown.forEach((key, credential) -> {
            byte[] value = credential.secret().value().bytes();
            if (shownText.contains(latin1(value))) {
                return;
            }
            UnaryOperator<byte[]> renderer = other -> template.render(values.set(Templates.CREDENTIALS, key, other));
            byte[] part = Rendered.secretPart(renderer, value, text);
            // Text next to times and signatures is different each time.
            values.set(Templates.TIMESTAMP, "").set(Templates.SIGNATURE, "");
            boolean lasts = Arrays.equals(part, Rendered.secretPart(renderer, value, renderer.apply(value)));
            values.set(Templates.TIMESTAMP, timestamp).set(Templates.SIGNATURE, signature);
            values.set(Templates.CREDENTIALS, key, value);
            Credential told = credential(credential.secret().name(), part, when);
            edits.credential(lasts ? told : told.forOneExchange());
        });
    }

    private Credential credential(String source, byte[] part, @Nullable RedactResponse when) {
        return Credential.of(source, part).redact(when).from("headers." + name).within(reach);
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] latin1(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return "SignedHeader[" + name + "]";
    }
}
