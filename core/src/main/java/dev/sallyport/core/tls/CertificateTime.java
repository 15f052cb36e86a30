package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.BERTags;
import org.bouncycastle.asn1.x509.Time;

/**
 * Times in certificates (RFC 5280, 4.1.2.5): UTCTime until 2049, GeneralizedTime from 2050 on, whole seconds, in UTC.
 * Bouncy Castle would format a date with the JVM's calendars and locales, which takes 35 ms the first time.
 */
final class CertificateTime {

    private static final int FIRST_GENERALIZED = 2050;

    private CertificateTime() {}

    static Time of(Instant instant) {
        LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        StringBuilder text = new StringBuilder(16);
        boolean generalized = utc.getYear() >= FIRST_GENERALIZED;
        if (generalized) {
            two(text, utc.getYear() / 100);
        }
        two(text, utc.getYear() % 100);
        two(text, utc.getMonthValue());
        two(text, utc.getDayOfMonth());
        two(text, utc.getHour());
        two(text, utc.getMinute());
        two(text, utc.getSecond());
        byte[] digits = text.append('Z').toString().getBytes(StandardCharsets.US_ASCII);
        byte[] der = new byte[2 + digits.length];
        der[0] = (byte) (generalized ? BERTags.GENERALIZED_TIME : BERTags.UTC_TIME);
        der[1] = (byte) digits.length;
        System.arraycopy(digits, 0, der, 2, digits.length);
        try {
            return Time.getInstance(ASN1Primitive.fromByteArray(der));
        } catch (IOException e) {
            throw new IllegalStateException("a time of a certificate cannot be read back", e);
        }
    }

    private static void two(StringBuilder text, int number) {
        text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }
}
