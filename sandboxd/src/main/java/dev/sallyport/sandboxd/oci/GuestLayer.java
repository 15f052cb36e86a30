package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.HostKeyPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * What a guest has that its image does not, as a layer between the image and what the guest writes. The guest changes copies
 * of these files alone, so that nothing is ever written along a path of the guest's. What the guest has written has its keys
 * where the guest has touched them: overlayfs then copies the whole file.
 */
final class GuestLayer {

    private final Path root;
    private final IdRange ids;

    GuestLayer(Path root, IdRange ids) {
        this.root = root;
        this.ids = ids;
    }

    /**
     * Writes it into a folder that is not there yet.
     *
     * @param gate the address that answers DNS
     */
    void write(GuestSetup guest, HostKeyPair key, String gate) throws IOException {
        folder(root, "rwxr-xr-x");
        for (GuestFiles.GuestFolder folder : GuestFiles.FOLDERS) {
            folder(root.resolve(folder.path()), folder.mode());
        }
        for (GuestFiles.GuestFile file : GuestFiles.of(guest, key, gate)) {
            Path place = root.resolve(file.path());
            PrivateFiles.create(place);
            own(Files.writeString(place, file.text()), file.mode());
        }
    }

    private void folder(Path folder, String mode) throws IOException {
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        own(folder, mode);
    }

    private void own(Path path, String mode) throws IOException {
        Files.setAttribute(path, "unix:uid", ids.base());
        Files.setAttribute(path, "unix:gid", ids.base());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
