# Parses all Ruby files of a folder.

failures = 0
Dir.glob(File.join(ARGV.fetch(0), '**', '*.rb')) do |file|
  RubyVM::InstructionSequence.compile_file(file)
rescue SyntaxError => e
  failures += 1
  warn "#{file}: #{e.message}"
end
exit failures.zero?
