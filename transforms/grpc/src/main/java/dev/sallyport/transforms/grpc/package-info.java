/** Here the transform {@code grpc} will live, which lets an external gRPC service decide; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.grpc;

import org.jspecify.annotations.NullMarked;
