package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.vm.LayerForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Layers as trees, to be mounted below what guests write; what is captured is an archive. */
public final class TreeForm implements LayerForm {

    @Override
    public String name() {
        return "rootfs";
    }

    @Override
    public Layer make(Path captured, Path place) throws IOException, CommandException, InterruptedException {
        Files.createDirectory(place);
        Archives.unpack(captured, place);
        return Archives.onDisk(Archives.measure(place), place);
    }

    @Override
    public boolean is(String digest, Path place) throws CommandException, InterruptedException {
        return Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)
                && Archives.measure(place).digest().equals(digest);
    }
}
