package dev.sallyport.sandbox;

import dev.sallyport.sandbox.VmException.Reason;
import java.time.Instant;
import java.util.List;

/** The one image of a {@link FakeDriver}. */
final class FakeImages {

    private static final Image IMAGE =
            new Image(new ImageName("debian-12"), "sha256:" + "0".repeat(64), 0, Instant.EPOCH);

    private FakeImages() {}

    static List<Image> all() {
        return List.of(IMAGE);
    }

    static void require(ImageName name) throws VmException {
        if (!name.equals(IMAGE.name())) {
            throw new VmException(
                    Reason.IMAGE_NOT_FOUND, "there is no image " + name + " (expected: " + IMAGE.name() + ")");
        }
    }
}
