<?php
// Parses all PHP files of a folder.

$failures = 0;
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1])) as $file) {
    if ($file->getExtension() !== 'php') {
        continue;
    }
    try {
        token_get_all(file_get_contents($file), TOKEN_PARSE);
    } catch (ParseError $error) {
        $failures++;
        echo "$file: {$error->getMessage()}\n";
    }
}
exit($failures === 0 ? 0 : 1);
