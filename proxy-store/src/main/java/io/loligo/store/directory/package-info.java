/**
 * The compact index of the responses on disk, in direct memory outside the Java object graph. Only
 * the index of a directory ({@code disk.index}) uses it; it uses no other package of the project.
 * The owner's lock guards changes; lookups need no lock and belong to any thread.
 */
@NullMarked
package io.loligo.store.directory;

import org.jspecify.annotations.NullMarked;
