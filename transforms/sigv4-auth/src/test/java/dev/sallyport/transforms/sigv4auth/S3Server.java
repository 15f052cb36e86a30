package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** As much of S3 as clients need to work, in memory. It verifies every request, and answers mistakes as S3 does. */
final class S3Server {

    private final Verifier verifier = new Verifier(Workload.KEY_ID, Workload.SECRET, Workload.TOKEN, Clock.systemUTC());
    private final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();
    private final Map<Integer, byte[]> parts = new ConcurrentSkipListMap<>();
    private final List<String> mistakes = new CopyOnWriteArrayList<>();
    private final List<String> forms = new CopyOnWriteArrayList<>();

    /** What was wrong with requests so far. */
    List<String> mistakes() {
        return mistakes;
    }

    /** How the contents of the requests with one were signed. */
    List<String> forms() {
        return forms;
    }

    byte[] object(String key) {
        return objects.get(key);
    }

    TestResponse answer(ForwardedRequest request) {
        byte[] content;
        try {
            content = verifier.verify(request);
        } catch (RuntimeException mistake) {
            mistakes.add(request.method() + " " + request.target() + ": " + mistake.getMessage());
            return error(403, "SignatureDoesNotMatch", request);
        }
        if (request.content().length > 0) {
            forms.add(request.header("x-amz-content-sha256"));
        }
        String[] target = request.target().split("\\?", 2);
        String query = target.length > 1 ? target[1] : "";
        String key = Verifier.decode(target[0]).replaceFirst("^/bucket/?", "");
        return switch (request.method()) {
            case "PUT" -> put(key, query, content);
            case "POST" -> post(request, key, query);
            case "GET" -> key.isEmpty() ? list() : get(request, key);
            case "HEAD" ->
                objects.containsKey(key)
                        ? TestResponse.status(200)
                                .header("ETag", "\"e\"")
                                .header("Last-Modified", "Tue, 01 Jan 2030 00:00:00 GMT")
                        : TestResponse.status(404);
            case "DELETE" -> {
                objects.remove(key);
                yield TestResponse.status(204);
            }
            default -> error(405, "MethodNotAllowed", request);
        };
    }

    private TestResponse put(String key, String query, byte[] content) {
        if (query.contains("partNumber=")) {
            parts.put(Integer.parseInt(Verifier.parameter(query, "partNumber")), content);
        } else {
            objects.put(key, content);
        }
        return TestResponse.status(200).header("ETag", "\"e\"");
    }

    private TestResponse post(ForwardedRequest request, String key, String query) {
        if (query.startsWith("uploads")) {
            return xml("<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>" + key
                    + "</Key><UploadId>u1</UploadId></InitiateMultipartUploadResult>");
        }
        if (query.contains("uploadId=")) {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            new TreeMap<>(parts).values().forEach(whole::writeBytes);
            parts.clear();
            objects.put(key, whole.toByteArray());
            return xml("<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>");
        }
        return error(400, "NotImplemented", request);
    }

    private TestResponse list() {
        List<String> lines = new ArrayList<>();
        objects.forEach((key, content) -> lines.add("<Contents><Key>" + key.replace("&", "&amp;") + "</Key><Size>"
                + content.length + "</Size><LastModified>2030-01-01T00:00:00.000Z</LastModified></Contents>"));
        return xml("<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>" + String.join("", lines)
                + "</ListBucketResult>");
    }

    private TestResponse get(ForwardedRequest request, String key) {
        byte[] content = objects.get(key);
        if (content == null) {
            return error(404, "NoSuchKey", request);
        }
        String range = request.header("Range");
        TestResponse response = TestResponse.status(range.isEmpty() ? 200 : 206)
                .header("ETag", "\"e\"")
                .header("Last-Modified", "Tue, 01 Jan 2030 00:00:00 GMT");
        if (range.isEmpty()) {
            return response.body(content);
        }
        String[] bounds = range.substring("bytes=".length()).split("-", -1);
        int from = Integer.parseInt(bounds[0]);
        int to = Math.min(Integer.parseInt(bounds[1]), content.length - 1);
        return response.header("Content-Range", "bytes " + from + "-" + to + "/" + content.length)
                .body(Arrays.copyOfRange(content, from, to + 1));
    }

    /** With everything that the service knows of the signature, as S3 does. */
    private static TestResponse error(int status, String code, ForwardedRequest request) {
        return TestResponse.status(status)
                .header("Content-Type", "application/xml")
                .body("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code
                        + "</Code><Message>No.</Message>"
                        + "<AWSAccessKeyId>" + Workload.KEY_ID + "</AWSAccessKeyId><CanonicalRequest>"
                        + request.headers().toString().replace("&", "&amp;") + "</CanonicalRequest></Error>");
    }

    private static TestResponse xml(String body) {
        return TestResponse.status(200)
                .header("Content-Type", "application/xml")
                .body(("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + body).getBytes(StandardCharsets.ISO_8859_1));
    }
}
