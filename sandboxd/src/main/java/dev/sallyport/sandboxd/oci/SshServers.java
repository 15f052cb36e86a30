package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.GuestFiles.Penalties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the sshd of images knows. A guest need not look at its own each time it starts: an image does not change, and is read
 * once, along no link of it. Thread-safe.
 */
final class SshServers {

    private static final List<String> FOLDERS = List.of("usr", "sbin");
    private static final String PROGRAM = "sshd";
    private static final long LARGEST = 32 << 20;

    private final Map<Path, Penalties> known = new ConcurrentHashMap<>();

    /**
     * What a guest's sshd knows; uncertain where that may be another one than its image's.
     *
     * @param image the root of its image
     * @param above what lies above the image, and may hide a part of it
     */
    Penalties of(Path image, List<Path> above) throws IOException {
        for (Path layer : above) {
            if (Files.exists(layer.resolve(FOLDERS.getFirst()), LinkOption.NOFOLLOW_LINKS)) {
                return Penalties.UNCERTAIN;
            }
        }
        Penalties found = known.get(image);
        if (found == null) {
            found = read(image);
            known.put(image, found);
        }
        return found;
    }

    private static Penalties read(Path image) throws IOException {
        Path place = image;
        for (String folder : FOLDERS) {
            place = place.resolve(folder);
            if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
                return Penalties.UNCERTAIN;
            }
        }
        Path program = place.resolve(PROGRAM);
        if (!Files.isRegularFile(program, LinkOption.NOFOLLOW_LINKS) || Files.size(program) > LARGEST) {
            return Penalties.UNCERTAIN;
        }
        String content = new String(Files.readAllBytes(program), StandardCharsets.ISO_8859_1);
        return content.contains(GuestFiles.PENALTIES_WORD) ? Penalties.KNOWS_THEM : Penalties.KNOWS_NONE;
    }
}
