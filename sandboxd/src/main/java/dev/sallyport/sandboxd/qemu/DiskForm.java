package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.LayerForm;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Layers as disks of the form qcow2, each on top of another one or of an image; what is captured is one already. */
final class DiskForm implements LayerForm {

    /** The name of a disk, of a VM's as well. */
    static final String NAME = "disk.qcow2";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Layer make(Path captured, Path place) throws IOException {
        Files.createLink(place, captured);
        try (FileChannel folder = FileChannel.open(place.getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
        return new Layer(digest(place), Files.size(place));
    }

    @Override
    public boolean is(String digest, Path place) throws IOException {
        return PrivateFiles.isFile(place) && digest(place).equals(digest);
    }

    private static String digest(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream stream = new DigestInputStream(Files.newInputStream(file), digest)) {
            stream.transferTo(OutputStream.nullOutputStream());
        }
        return "sha256:" + HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }
}
