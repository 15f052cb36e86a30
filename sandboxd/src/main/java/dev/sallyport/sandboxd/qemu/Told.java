package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.HostKeyPair;
import dev.sallyport.sandboxd.vm.VmRecord;
import java.util.List;

/** What a guest is told that boots, as archives that follow that of its first file system. */
final class Told {

    private static final String FILES = "guest/files/";
    private static final String TRUST = "guest/trust";

    private Told() {}

    /**
     * All of it.
     *
     * @param ofImage whether its disk lies on an image alone
     */
    static byte[] of(VmRecord vm, HostKeyPair key, String gate, boolean ofImage) {
        VmLimits limits = vm.spec().limits();
        Cpio archive = new Cpio();
        archive.file(
                "guest/setup",
                0600,
                "address=%s\ngate=%s\nhostname=%s\nmemory=%d\nprocesses=%d\nfork=%s\n"
                        .formatted(
                                vm.address().getHostAddress(),
                                gate,
                                vm.spec().guest().hostname(),
                                limits.memoryBytes() / 1024,
                                limits.processes(),
                                ofImage ? "no" : "yes"));
        archive.folder("guest/files", 0755);
        GuestFiles.FOLDERS.forEach(folder -> archive.folder(FILES + folder.path(), mode(folder.mode())));
        GuestFiles.of(vm.spec().guest(), key, gate).forEach(file -> add(archive, file));
        return archive.toByteArray();
    }

    /** What lets its programs trust the gate. */
    static byte[] trust(List<GuestFiles.GuestFile> files) {
        Cpio archive = new Cpio();
        archive.folder(TRUST, 0755);
        files.forEach(file -> archive.file(TRUST + "/" + file.path(), mode(file.mode()), file.text()));
        return archive.toByteArray();
    }

    /** A file that takes the place of one of those, where this archive follows the other one. */
    static byte[] instead(GuestFiles.GuestFile file) {
        Cpio archive = new Cpio();
        add(archive, file);
        return archive.toByteArray();
    }

    private static void add(Cpio archive, GuestFiles.GuestFile file) {
        archive.file(FILES + file.path(), mode(file.mode()), file.text());
    }

    /** As a number. */
    private static int mode(String permissions) {
        int mode = 0;
        for (int i = 0; i < permissions.length(); i++) {
            mode = 2 * mode + (permissions.charAt(i) == '-' ? 0 : 1);
        }
        return mode;
    }
}
