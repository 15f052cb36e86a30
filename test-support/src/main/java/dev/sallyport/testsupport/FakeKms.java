package dev.sallyport.testsupport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The protocol of AWS KMS over HTTP: {@code Encrypt} and {@code Decrypt} with a key that it keeps, bound to their context.
 * It answers nobody whose signature is not right. While it is open, the SDK of this JVM finds it, and credentials for it.
 */
public final class FakeKms implements AutoCloseable {

    /** The ARN of its key. */
    public static final String KEY = "arn:aws:kms:eu-test-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";

    private static final String ID = "AKIATESTTESTTEST";
    private static final String SECRET = "s3cr3t/signing+key/that/nobody/may/see";
    private static final int NONCE = 12;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String PLAIN = "Plaintext";
    private static final String SEALED = "CiphertextBlob";

    private final HttpServer server;
    private final byte[] key = new byte[32];
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<String, String> before = new HashMap<>();
    private volatile String refusal = "";

    /** Begins to listen. */
    public FakeKms() throws IOException {
        RANDOM.nextBytes(key);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
        set("aws.endpointUrlKms", "http://127.0.0.1:" + server.getAddress().getPort());
        set("aws.accessKeyId", ID);
        set("aws.secretAccessKey", SECRET);
        set("aws.disableEc2Metadata", "true");
        set("aws.configFile", "/nonexistent/config");
        set("aws.sharedCredentialsFile", "/nonexistent/credentials");
    }

    private void set(String property, String value) {
        String old = System.setProperty(property, value);
        before.put(property, old == null ? "" : old);
    }

    /** From now on refuses with this code; empty for no more. */
    public void refuse(String code) {
        refusal = code;
    }

    /** The operations that were answered. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            answer(exchange, reply(exchange, body));
        }
    }

    private String reply(HttpExchange exchange, byte[] body) {
        try {
            AwsSignature signature = AwsSignature.of(exchange.getRequestHeaders());
            boolean signed = signature.keyId().equals(ID)
                    && signature.scope().endsWith("/eu-test-1/kms/aws4_request")
                    && signature.covers("host", "x-amz-date", "x-amz-target")
                    && signature.isOf(
                            exchange.getRequestURI().getRawPath(), exchange.getRequestHeaders(), body, SECRET);
            if (!signed) {
                return error("InvalidSignatureException");
            }
            if (!refusal.isEmpty()) {
                return error(refusal);
            }
            String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
            calls.add(target.replace("TrentService.", ""));
            return result(target, new String(body, StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            return error("InvalidCiphertextException");
        }
    }

    private String result(String target, String request) throws GeneralSecurityException {
        byte[] context = value(request, "\"EncryptionContext\":(\\{[^}]*})").getBytes(StandardCharsets.UTF_8);
        boolean right = text(request, "KeyId").equals(KEY) && context.length > 2;
        if (!right) {
            return error("NotFoundException");
        }
        return switch (target) {
            case "TrentService.Encrypt" -> answer(SEALED, encrypt(bytes(request, PLAIN), context));
            case "TrentService.Decrypt" -> answer(PLAIN, decrypt(bytes(request, SEALED), context));
            default -> error("UnknownOperationException");
        };
    }

    private static String value(String json, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(json);
        return found.find() ? found.group(1) : "";
    }

    private static String text(String json, String name) {
        return value(json, "\"" + name + "\":\"([^\"]*)\"");
    }

    private static byte[] bytes(String json, String name) {
        return Base64.getDecoder().decode(text(json, name));
    }

    private static String answer(String name, String value) {
        return "{\"KeyId\":\"" + KEY + "\",\"" + name + "\":\"" + value + "\"}";
    }

    private String encrypt(byte[] plain, byte[] context) throws GeneralSecurityException {
        byte[] nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, context).doFinal(plain);
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(NONCE + sealed.length)
                        .put(nonce)
                        .put(sealed)
                        .array());
    }

    private String decrypt(byte[] blob, byte[] context) throws GeneralSecurityException {
        byte[] nonce = new byte[NONCE];
        System.arraycopy(blob, 0, nonce, 0, NONCE);
        return Base64.getEncoder()
                .encodeToString(cipher(Cipher.DECRYPT_MODE, nonce, context).doFinal(blob, NONCE, blob.length - NONCE));
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] context) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(context);
        return cipher;
    }

    private static String error(String code) {
        return "{\"__type\":\"" + code + "\",\"message\":\"of the service\"}";
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.1");
        exchange.sendResponseHeaders(json.contains("__type") ? 400 : 200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        before.forEach((property, value) -> {
            if (value.isEmpty()) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, value);
            }
        });
    }
}
